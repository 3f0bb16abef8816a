// The processes of a run that was started by `mpirun -n 8 omvc fit ...`. Without mpirun, or where there is no MPI, the
// command is alone.
#pragma once

#include <string>
#include <vector>

#include "omvc/error.hpp"
#include "omvc/exchange.hpp"

namespace omvc::app {

// Joins the others on the first call. Throws ErrorKind::usage if several processes were started and this command was
// built without MPI, or MPI does not bring them together: each would do all the work and write the same files.
Exchange& ranks();

// The words of the command, without --threads, in which processes may differ.
void set_command(int argc, char** argv);

// Throws ErrorKind::usage in all processes unless they were given the same command, and `files` are of the same sizes
// in all of them.
void check_same_command(const std::vector<std::string>& files);

// Before the process ends with this code: nobody waits for it in vain. Where it is not 0 the whole run ends.
void leave_ranks(int code);

// Before a process says what went wrong: where all of them have failed together the first one says it and ends the run,
// which it has two seconds for. False where it is not for this process to say: one that was interrupted was so with all
// others, or because another has failed, which says why.
bool may_say(ErrorKind kind);
// What such a message begins with, of a process that is not the first: which one it is.
std::string who();
// At the start of a process that is not the first: where it is ended early, it says nothing.
void leave_words_to_first();

}  // namespace omvc::app
