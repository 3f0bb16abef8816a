// The form of the backend for cards: hands blocks and tables to libomvc_cuda, and takes results that have the bits of
// the form for processors. Work that is small beside what must be copied stays with the processors.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/cuda_library.hpp"
#include "kernels/backend.hpp"

namespace omvc {

// What an operation costs: products to be added up, and bytes to be copied to the card and from it.
struct DeviceWork {
  double products = 0;
  double bytes = 0;
};

struct CudaUse {
  int number = 0;
  std::uint64_t memory = 0;  // bytes; 0: nine tenths of what is free
  bool fast = false;         // products of rounded factors: other bits, and sooner
  bool fall_back = false;    // processors go on where the card cannot be had, is lost, or has too little memory
  bool everything = false;   // whatever the cost, for tests
};

class CudaBackend final : public Backend {
 public:
  // Without `fall_back` the card is opened now, and a DeviceFailure thrown where it cannot be; with it when so much has
  // been computed as opening takes.
  explicit CudaBackend(const CudaUse& use);

  void find_near(const PreparedChunk& chunk, const PrototypeTable& table, double beyond, Near& near,
                 std::vector<NarrowMatrix>* products, Compute& compute) override;
  void find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                 const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search, RowNeighbours& out,
                 Compute& compute) override;
  void add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                        std::vector<Matrix>& sums, Compute& compute) override;
  void times(const DataBlock& X, const MatrixIn& U, MatrixOut out, Compute& compute) override;
  void times(const DataBlock& X, const NarrowMatrix& U, NarrowMatrix& out, Compute& compute) override;
  void add_transpose_times(const DataBlock& X, const MatrixIn& V, MatrixOut out, Compute& compute) override;
  std::string name() const override;
  std::string warning() const override;

 private:
  // The card, where this work is for it; null: it is for the processors.
  std::shared_ptr<CudaDevice> card_for(const DeviceWork& work, const Compute& compute);
  // What a call on the card has said: whether it is done. Else the processors do it, or an Error says why not.
  bool done(int code, const char* message);
  void give_up(const std::string& why);
  // Calls run(message), and says whether it is done.
  template <class Run>
  bool on_card(const Run& run);

  CudaUse use_;
  std::atomic<double> computed_ = 0;  // products so far, where the card is not yet open
  std::atomic<bool> given_up_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<CudaDevice> device_;
  std::string warning_;
  std::string not_opened_;           // why, where nobody asked for a card in particular
  std::atomic<double> on_card_ = 0;  // products made there

  // Where the members of each view stand, by position: what row tables have the other way round.
  using MembersAt = std::vector<std::vector<std::int32_t>>;
  std::shared_ptr<const MembersAt> members_at(const RowTable& rows);
  std::map<std::uint64_t, std::shared_ptr<const MembersAt>> members_at_;
};

}  // namespace omvc
