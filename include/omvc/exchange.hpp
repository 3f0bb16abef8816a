// How the processes of one fit reach each other. Each of them reads its own rows and counts them; what travels are sums
// and, at the end, labels. An exchange by MPI is part of the command (`mpirun -n 8 omvc fit ...`); write your own, over
// whatever connects your machines, by deriving from Exchange.
//
// Every message is a value in bytes whose form does not depend on the machine. Messages from one process to another
// arrive in the order in which they were sent. A process that cannot be reached any more is an Error (ErrorKind::io)
// within a stated time, never a wait without end.
#pragma once

#include <string>
#include <string_view>

#include "omvc/export.hpp"

namespace omvc {

class OMVC_API Exchange {
 public:
  virtual ~Exchange() = default;

  // Which of the processes this is, from 0 on, and how many there are. The first one writes the results.
  virtual int rank() const { return 0; }
  virtual int size() const { return 1; }

  // How many of the processes are on this machine, this one included, as far as is known: while one of them works and
  // the others wait, it uses the cores of all. Waiting must leave them free.
  virtual int beside() const { return 1; }

  // A process that is alone sends nothing.
  virtual void send(int /*to*/, std::string_view /*bytes*/) {}
  virtual std::string receive(int /*from*/) { return {}; }
};

}  // namespace omvc
