#include "ranks.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "omvc/error.hpp"

#ifdef OMVC_WITH_MPI
#include <mpi.h>
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

class MpiExchange final : public Exchange {
 public:
  MpiExchange() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &beside_);
    MPI_Comm_free(&here);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int beside() const override { return beside_; }

  void send(int to, std::string_view bytes) override {
    const auto size = static_cast<std::uint64_t>(bytes.size());
    transfer(kIdle, [&](MPI_Request* request) { MPI_Isend(&size, 1, MPI_UINT64_T, to, 0, MPI_COMM_WORLD, request); });
    for_pieces(size, [&](std::size_t first, int count, MPI_Request* request) {
      MPI_Isend(bytes.data() + first, count, MPI_BYTE, to, 0, MPI_COMM_WORLD, request);
    });
  }

  std::string receive(int from) override {
    std::uint64_t size = 0;
    transfer(kIdle, [&](MPI_Request* request) { MPI_Irecv(&size, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD, request); });
    std::string bytes(size, '\0');
    for_pieces(size, [&](std::size_t first, int count, MPI_Request* request) {
      MPI_Irecv(bytes.data() + first, count, MPI_BYTE, from, 0, MPI_COMM_WORLD, request);
    });
    return bytes;
  }

 private:
  using Pause = std::chrono::microseconds;
  static constexpr Pause kIdle{1000};  // while the other process is at work
  static constexpr Pause kBusy{10};    // while bytes are on their way: MPI moves them on when it is asked

  // MPI's own waiting takes a whole core; this one leaves it to those that work, with pauses that grow up to `most`.
  template <class F>
  void transfer(Pause most, const F& begin) {
    MPI_Request request = MPI_REQUEST_NULL;
    begin(&request);
    int done = 0;
    Pause pause{1};
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, most);
    }
  }

  template <class F>
  void for_pieces(std::uint64_t size, const F& begin) {
    constexpr std::uint64_t kPiece = 1 << 30;
    for (std::uint64_t first = 0; first < size; first += kPiece) {
      const auto count = static_cast<int>(std::min(kPiece, size - first));
      transfer(kBusy, [&](MPI_Request* request) { begin(first, count, request); });
    }
  }

  int rank_ = 0;
  int size_ = 1;
  int beside_ = 1;
};

std::optional<MpiExchange> joined;

#endif

Exchange alone;

std::string command;

}  // namespace

Exchange& ranks() {
  if (started_together() == 1) return alone;
#ifdef OMVC_WITH_MPI
  if (!joined) joined.emplace();
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
