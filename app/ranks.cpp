#include "ranks.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "omvc/error.hpp"

#ifdef OMVC_WITH_MPI
#include <mpi.h>

#include "omvc/mpi.hpp"
#endif

namespace omvc::app {
namespace {

// Open MPI, MPICH (and what descends from it) and Slurm's srun tell the processes that they start how many they are.
int started_together() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS"}) {
    if (const char* size = std::getenv(name)) return std::max(1, std::atoi(size));
  }
  return 1;
}

constexpr auto kGrace = std::chrono::seconds(2);

// And which of them each is, before they have met.
int started_as() {
  if (started_together() == 1) return 0;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) return std::max(0, std::atoi(rank));
  }
  return 0;
}

void die_silently() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

#ifdef OMVC_WITH_MPI

std::unique_ptr<Exchange> joined;

#endif

Exchange alone;

std::string command;

}  // namespace

Exchange& ranks() {
  if (started_together() == 1) return alone;
#ifdef OMVC_WITH_MPI
  if (!joined) joined = make_mpi_exchange();
  if (joined->size() == 1) {
    throw Error(ErrorKind::usage,
                "several processes were started, and none of them sees the others, so that each would do all the work: "
                "start them by the mpirun of the MPI that omvc was built with, or by srun --mpi=pmix");
  }
  return *joined;
#else
  throw Error(
      ErrorKind::usage,
      "several processes were started, and this omvc was built without MPI, so that each would do all the work: "
      "install libopenmpi-dev or libmpich-dev and build it again, or start one process");
#endif
}

void set_command(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    if (word == "--threads") ++i;
    if (!word.starts_with("--threads")) command.append(word).append("\n");
  }
}

void check_same_command(const std::vector<std::string>& files) {
  Exchange& all = ranks();
  if (all.size() == 1) return;
  std::string mine = command;
  for (const std::string& file : files) {
    std::error_code none;
    const auto size = file.empty() ? 0 : std::filesystem::file_size(file, none);
    if (!file.empty() && !none) mine += fmt::format("{}: {} bytes\n", file, size);
  }
  std::string refusal;
  if (all.rank() > 0) {
    all.send(0, mine);
    refusal = all.receive(0);
  } else {
    for (int other = 1; other < all.size(); ++other) {
      if (all.receive(other) == mine || !refusal.empty()) continue;
      refusal = fmt::format(
          "rank {} has another command or other files than rank 0: start every process with the same "
          "command and the same files",
          other);
    }
    for (int other = 1; other < all.size(); ++other) all.send(other, refusal);
  }
  if (!refusal.empty()) throw Error(ErrorKind::usage, refusal);
}

void leave_words_to_first() {
  if (started_as() > 0) die_silently();
}

std::string who() { return started_as() > 0 ? fmt::format("rank {} of {}: ", started_as(), started_together()) : ""; }

bool may_say(ErrorKind kind) {
  if (started_as() == 0) return true;
  die_silently();  // the first one says what is wrong; what ends the others then needs no word of theirs
  std::this_thread::sleep_for(kGrace);
  return kind != ErrorKind::interrupted;
}

void leave_ranks([[maybe_unused]] int code) {
#ifdef OMVC_WITH_MPI
  if (!joined) return;
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
#endif
}

}  // namespace omvc::app
