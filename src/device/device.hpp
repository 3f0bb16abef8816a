// Where the heavy operations run: on processors, or on a card beside them. What the user says (Options::device) becomes
// a Backend; no result depends on it, unless `fast` products are asked for.
#pragma once

#include <memory>
#include <string>

#include "omvc/options.hpp"

#include "kernels/backend.hpp"
#include "parallel/team.hpp"

namespace omvc {

// Throws ErrorKind::usage where Options::device, device_memory and fast do not go together.
void check_device(const Options& options);

// The backend of the options; null: processors do everything. `cuda` opens the card, and throws ErrorKind::usage where
// there is none. `auto` opens it when so much was computed that it pays, and goes on with processors where it fails.
std::shared_ptr<Backend> make_backend(const Options& options);

// The same for a Team, which asks when it first works.
BackendMaker backend_maker(const Options& options);

// What the work was done on, for the report; and what its user should hear of that, or nothing.
struct DeviceUse {
  std::string name = "processors";
  std::string warning = {};
};
DeviceUse device_use(const Compute& compute);

}  // namespace omvc
