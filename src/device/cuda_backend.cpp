#include "device/cuda_backend.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

#include "device/lent.hpp"
#include "kernels/cpu_forms.hpp"

namespace omvc {
namespace {

// What a call costs on the card and on a thread of a processor: estimates (docs/gpu.md), from the products of PyTorch
// in single precision on an H200 and those of a Xeon. Within a factor of two the choice matters little, and it never
// changes a result.
constexpr double kCallSeconds = 1e-4;
constexpr double kBytesPerSecond = 6e9;      // through pinned memory, on one thread
constexpr double kCardProducts = 1.5e13;     // per second
constexpr double kProcessorProducts = 2e10;  // per second and thread
constexpr double kOpeningProducts = 1.5e10;  // computed by processors before a card is opened: about what opening costs
constexpr double kMostBytes = 1e15;          // more than any card has
constexpr std::size_t kTablesKept = 8;

double bytes_of(const Block& block) {
  return std::visit(
      [](const auto& X) {
        const double value = sizeof(X.values[0]);
        if constexpr (requires { X.offsets; }) return static_cast<double>(X.nonzeros()) * (value + 4);
        return static_cast<double>(X.rows * X.cols) * value;
      },
      block);
}

double entries_of(const Block& block) {
  return std::visit([](const auto& X) { return static_cast<double>(X.values.size()); }, block);
}

bool is_sparse(const Block& block) { return block.index() >= 2; }

// What a product costs. One column is as much work as reading the data, and its sums are not made as others are.
DeviceWork product_work(const Block& X, Index columns, double number) {
  if (columns == 1) return {0, std::numeric_limits<double>::infinity()};
  return {entries_of(X) * static_cast<double>(columns),
          bytes_of(X) + static_cast<double>((block_rows(X) + block_cols(X)) * columns) * number};
}

}  // namespace

CudaBackend::CudaBackend(const CudaUse& use) : use_(use) {
  if (!use_.fall_back) device_ = CudaDevice::open(use_.number, use_.memory);
}

std::shared_ptr<CudaDevice> CudaBackend::card_for(const DeviceWork& work, const Compute& compute) {
  if (given_up_) return nullptr;
  const double card = kCallSeconds + work.bytes / kBytesPerSecond + work.products / kCardProducts;
  const double processors = work.products / (kProcessorProducts * compute.threads());
  if (work.bytes > kMostBytes || (card > processors && !use_.everything)) return nullptr;
  const std::lock_guard lock(mutex_);
  if (!device_ && !given_up_) {
    if (computed_ < kOpeningProducts && !use_.everything) {
      computed_ = computed_ + work.products;
      return nullptr;
    }
    try {
      device_ = CudaDevice::open(use_.number, use_.memory);
    } catch (const DeviceFailure& failure) {  // nobody asked for a card
      given_up_ = true;
      not_opened_ = failure.what;
    }
  }
  if (device_) on_card_ = on_card_ + work.products;
  return device_;
}

void CudaBackend::give_up(const std::string& why) {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  if (warning_.empty()) warning_ = why;
}

bool CudaBackend::done(int code, const char* message) {
  if (code == kOmvcCudaDone) return true;
  if (code == kOmvcCudaNoMemory) {
    if (!use_.fall_back) {
      throw Error(ErrorKind::numerical,
                  fmt::format("the card has too little memory ({}): give it more with --device-memory, ask for less "
                              "with --chunk, or take the processors with --device cpu",
                              message));
    }
    give_up(fmt::format("the card had too little memory ({}): processors did the rest", message));
    return false;
  }
  if (!use_.fall_back) {
    throw Error(
        ErrorKind::numerical,
        fmt::format("the card failed ({}): nothing that was saved is lost; go on with --device cpu, which gives "
                    "the same results, or try the card again",
                    message));
  }
  give_up(fmt::format("the card failed ({}): processors did the rest, with the same results", message));
  return false;
}

template <class Run>
bool CudaBackend::on_card(const Run& run) {
  char message[kOmvcCudaMessage] = "";
  return done(run(message), message);
}

void CudaBackend::find_near(const PreparedChunk& chunk, const PrototypeTable& table, double beyond, Near& near,
                            std::vector<NarrowMatrix>* products, Compute& compute) {
  DeviceWork work;
  for (const ChunkView& view : chunk.chunk->views) {
    work.products += entries_of(view.block) * static_cast<double>(table.size());
    work.bytes += bytes_of(view.block);
    if (products != nullptr) work.bytes += static_cast<double>(block_rows(view.block) * table.size()) * 4;
  }
  const std::shared_ptr<CudaDevice> card = table.size() > 1 ? card_for(work, compute) : nullptr;
  if (!card) return cpu_backend().find_near(chunk, table, beyond, near, products, compute);
  const LentViews views(chunk, *card);
  const LentPrototypes prototypes(table);
  std::vector<double> gaps(static_cast<std::size_t>(chunk.size()), 0.0);
  std::vector<double*> squares;
  std::vector<float*> made;
  if (products != nullptr) products->resize(chunk.views.size());
  near.squares.resize(chunk.views.size());
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    const Index rows = chunk.views[v].rows();
    near.squares[v].resize(static_cast<std::size_t>(rows));
    squares.push_back(near.squares[v].data());
    if (products == nullptr) continue;
    (*products)[v].resize(rows, table.size());
    made.push_back((*products)[v].data());
  }
  const OmvcCudaNear call{.views = views.data(),
                          .view_count = static_cast<std::int32_t>(chunk.views.size()),
                          .instances = chunk.size(),
                          .prototypes = &prototypes.get(),
                          .count = near.count,
                          .beyond = beyond,
                          .fast = use_.fast ? 1 : 0,
                          .ids = near.ids.data(),
                          .weights = near.weights.data(),
                          .distances = near.distances.data(),
                          .gaps = gaps.data(),
                          .squares = squares.data(),
                          .products = products != nullptr ? made.data() : nullptr};
  if (!on_card([&](char* message) { return card->api().find_near(card->handle(), &call, message); })) {
    near.squares.clear();
    return cpu_backend().find_near(chunk, table, beyond, near, products, compute);
  }
  for (std::size_t v = 0; v < chunk.views.size(); ++v) {
    compute.profile().count_product(Step::times, static_cast<int>(table.size()));
  }
  for (const double gap : gaps) near.gap += gap;
}

std::shared_ptr<const CudaBackend::MembersAt> CudaBackend::members_at(const RowTable& rows) {
  const std::lock_guard lock(mutex_);
  if (const auto found = members_at_.find(rows.id); found != members_at_.end()) return found->second;
  auto out = std::make_shared<MembersAt>();
  for (const RowTable::View& view : rows.views) {
    std::vector<std::int32_t>& at = out->emplace_back(rows.row.size(), -1);
    for (std::size_t m = 0; m < view.position.size(); ++m) {
      at[static_cast<std::size_t>(view.position[m])] = static_cast<std::int32_t>(m);
    }
  }
  while (members_at_.size() >= kTablesKept) members_at_.erase(members_at_.begin());  // the oldest: ids ascend
  members_at_.emplace(rows.id, out);
  return out;
}

void CudaBackend::find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                            const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search,
                            RowNeighbours& out, Compute& compute) {
  DeviceWork work;
  const double looked_at = rows.lists() == 1 ? static_cast<double>(rows.size())
                                             : static_cast<double>(rows.size()) / static_cast<double>(rows.lists()) *
                                                   static_cast<double>(std::min(search.probes, rows.lists()));
  for (const ChunkView& view : chunk.chunk->views) {
    work.products += entries_of(view.block) * looked_at;
    work.bytes += bytes_of(view.block) + static_cast<double>(block_rows(view.block) * search.count) * 12;
  }
  const bool fits = search.count <= kMostNeighboursOnCard;
  const std::shared_ptr<CudaDevice> card = fits ? card_for(work, compute) : nullptr;
  const auto on_processors = [&] { cpu_backend().find_rows(chunk, products, prototypes, rows, search, out, compute); };
  if (!card) return on_processors();
  constexpr Index kListedAtOnce = 512;
  for_blocks(compute, chunk.size(), kListedAtOnce, rows.lists() > 1 && search.lists == nullptr,
             [&](Index first, Index last) {
               auto lists = cpu::lists_for(chunk, products, prototypes, rows, search, first, last);
               std::move(lists.begin(), lists.end(), out.lists.begin() + first);
             });
  const LentViews views(chunk, *card);
  const auto at = members_at(rows);  // held here: others may drop it from what is kept meanwhile
  const LentRows table(rows, *at);
  const LentLists lists(out.lists);
  std::vector<const float*> made;
  for (const NarrowMatrix& of : products) made.push_back(of.data());
  made.resize(chunk.views.size(), nullptr);
  std::vector<std::int32_t*> ids;
  std::vector<double*> distances;
  for (NearRows& of : out.views) {
    ids.push_back(of.ids.data());
    distances.push_back(of.distances.data());
  }
  const OmvcCudaRowSearch call{.views = views.data(),
                               .view_count = static_cast<std::int32_t>(chunk.views.size()),
                               .instances = chunk.size(),
                               .rows = &table.get(),
                               .list_begin = lists.begin.data(),
                               .lists = lists.lists.data(),
                               .count = search.count,
                               .own = search.own,
                               .fast = use_.fast ? 1 : 0,
                               .products = made.data(),
                               // Where lists are given the table of prototypes may be empty; products are not.
                               .product_columns = products.empty() ? 0 : products.front().cols(),
                               .ids = ids.data(),
                               .distances = distances.data(),
                               .whole_ids = search.whole ? out.whole.ids.data() : nullptr,
                               .whole_distances = search.whole ? out.whole.distances.data() : nullptr};
  if (on_card([&](char* message) { return card->api().find_rows(card->handle(), &call, message); })) return;
  for (NearRows& of : out.views) of.forget();  // what was found before it failed
  out.whole.forget();
  on_processors();
}

void CudaBackend::add_rounded_rows(std::span<const Members> members, double sign, const std::vector<double>& quantum,
                                   std::vector<Matrix>& sums, Compute& compute) {
  DeviceWork work;
  for (const Matrix& of : sums) work.bytes += static_cast<double>(of.size()) * 8;
  for (const Members& of : members) {
    for (std::size_t v = 0; v < of.chunk->views.size(); ++v) {
      const Block& block = of.chunk->views[v].block();
      work.products += 8 * entries_of(block);  // an addition in memory takes as long as so many products
      if (!of.chunk->views[v].slot()->is_kept()) work.bytes += bytes_of(block);
    }
  }
  const std::shared_ptr<CudaDevice> card = members.empty() ? nullptr : card_for(work, compute);
  if (!card) return cpu_backend().add_rounded_rows(members, sign, quantum, sums, compute);
  std::vector<std::unique_ptr<LentViews>> lent;
  std::vector<const OmvcCudaView*> chunks;
  std::vector<const std::int32_t*> ids;
  for (const Members& of : members) {
    lent.push_back(std::make_unique<LentViews>(*of.chunk, *card));
    chunks.push_back(lent.back()->data());
    ids.push_back(of.ids->data());
  }
  const Index size = sums.empty() ? 0 : sums[0].cols();
  std::vector<NumbersByPrototype> parts;
  std::vector<double*> to;
  for (const Matrix& of : sums) to.push_back(parts.emplace_back(size, of.rows()).data());
  const OmvcCudaSums call{.chunks = chunks.data(),
                          .ids = ids.data(),
                          .chunk_count = static_cast<std::int64_t>(members.size()),
                          .view_count = static_cast<std::int32_t>(sums.size()),
                          .size = size,
                          .sign = sign,
                          .quantum = quantum.data(),
                          .sums = to.data()};
  if (!on_card([&](char* message) { return card->api().add_rows(card->handle(), &call, message); })) {
    return cpu_backend().add_rounded_rows(members, sign, quantum, sums, compute);
  }
  for (std::size_t v = 0; v < sums.size(); ++v) {
    for_blocks(compute, sums[v].rows(), 64, compute.threads() > 1, [&](Index first, Index last) {
      sums[v].middleRows(first, last - first) += parts[v].middleCols(first, last - first).transpose();
    });
  }
}

void CudaBackend::times(const DataBlock& X, const MatrixIn& U, MatrixOut out, Compute& compute) {
  const std::shared_ptr<CudaDevice> card = card_for(product_work(X.block(), U.cols(), 8), compute);
  const bool made = card && on_card([&](char* message) {
                      const LentBlock block(X, *card);
                      return card->api().times(card->handle(), &block.get(), U.data(), U.outerStride(), U.cols(), 1, 0,
                                               out.data(), out.outerStride(), message);
                    });
  if (!made) cpu_backend().times(X, U, out, compute);
}

void CudaBackend::times(const DataBlock& X, const NarrowMatrix& U, NarrowMatrix& out, Compute& compute) {
  const std::shared_ptr<CudaDevice> card = card_for(product_work(X.block(), U.cols(), 4), compute);
  const bool made = card && on_card([&](char* message) {
                      const LentBlock block(X, *card);
                      return card->api().times(card->handle(), &block.get(), U.data(), U.outerStride(), U.cols(), 0,
                                               use_.fast ? 1 : 0, out.data(), out.outerStride(), message);
                    });
  if (!made) cpu_backend().times(X, U, out, compute);
}

void CudaBackend::add_transpose_times(const DataBlock& X, const MatrixIn& V, MatrixOut out, Compute& compute) {
  const std::shared_ptr<CudaDevice> card =
      is_sparse(X.block()) ? nullptr : card_for(product_work(X.block(), V.cols(), 8), compute);
  const bool made = card && on_card([&](char* message) {
                      const LentBlock block(X, *card);
                      return card->api().transpose_times(card->handle(), &block.get(), V.data(), V.outerStride(),
                                                         V.cols(), out.data(), out.outerStride(), message);
                    });
  if (!made) cpu_backend().add_transpose_times(X, V, out, compute);
}

std::string CudaBackend::name() const {
  const std::lock_guard lock(mutex_);
  if (!not_opened_.empty()) return fmt::format("processors: {}", not_opened_);
  if (!device_ || on_card_ == 0) return "processors: a card would not pay for so little work";
  return fmt::format("{} (cuda:{}{}), and processors where copying would take longer", device_->info().name,
                     use_.number, use_.fast ? ", fast" : "");
}

std::string CudaBackend::warning() const {
  const std::lock_guard lock(mutex_);
  return warning_;
}

}  // namespace omvc
