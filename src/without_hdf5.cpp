// What a build without libhdf5 (-DOMVC_WITH_HDF5=OFF) says instead of reading and writing HDF5 files.
#include "omvc/convert.hpp"
#include "omvc/error.hpp"
#include "omvc/input.hpp"
#include "omvc/sink.hpp"
#include "omvc/trial.hpp"

#include "source/formats/anndata.hpp"

namespace omvc {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error(ErrorKind::usage,
              path + ": this omvc was built without HDF5; build it with libhdf5-dev and -DOMVC_WITH_HDF5=ON");
}

}  // namespace

Input open_h5(const std::string& path, const InputOptions&) { refuse(path); }

Index write_mudata(Source&, const std::string& path, const ConvertOptions&) { refuse(path); }

// There is nothing to try.
std::optional<int> answer_trial(int, const char* const*) { return std::nullopt; }

void set_trial_command(std::vector<std::string>) {}

void trust_hdf5_files(bool) {}

std::unique_ptr<Sink> make_h5_sink(const std::string& path, const std::string&, Source&) { refuse(path); }

}  // namespace omvc
