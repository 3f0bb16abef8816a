#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mpi.h>
#include <thread>

#include "omvc/mpi.hpp"

namespace omvc {
namespace {

class MpiExchange final : public Exchange {
 public:
  MpiExchange() {
    int started = 0;
    MPI_Initialized(&started);
    int level = 0;
    if (started == 0) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level);
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

}  // namespace

std::unique_ptr<Exchange> make_mpi_exchange() { return std::make_unique<MpiExchange>(); }

}  // namespace omvc
