// The search for the nearest rows of a table, on the threads of a processor.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/cpu_forms.hpp"
#include "kernels/simd.hpp"

namespace omvc {
namespace {

constexpr Index kInstancesAtOnce = 32;  // that a thread compares with all rows,
constexpr Index kListedAtOnce = 512;    // and with those of lists, so that several look into each
constexpr Index kLookedAtOnce = 16;     // distances of rows of which most are too large

// The nearest rows found so far of one instance, ascending.
class Nearest {
 public:
  Nearest(NearRows& out, Index instance, std::int32_t own)
      : own_(own),
        count_(out.count),
        ids_(out.ids.data() + instance * count_),
        distances_(out.distances.data() + instance * count_) {}

  // Nothing farther than this is of use.
  double farthest() const { return distances_[count_ - 1]; }

  void offer(std::int32_t row, double distance) {
    if (!(distance <= distances_[count_ - 1])) return;
    const auto before = [&, turn = turn_of(row, own_)](Index j) {
      return distance < distances_[j] || (distance == distances_[j] && turn < order(ids_[j]));
    };
    if (!before(count_ - 1)) return;
    Index at = count_ - 1;
    for (; at > 0 && before(at - 1); --at) {
      ids_[at] = ids_[at - 1];
      distances_[at] = distances_[at - 1];
    }
    ids_[at] = row;
    distances_[at] = distance;
  }

 private:
  std::int64_t order(std::int32_t id) const {
    return id < 0 ? std::numeric_limits<std::int64_t>::max() : turn_of(id, own_);
  }
  std::int32_t own_;  // row of the table that the instance is; -1: none
  Index count_;
  std::int32_t* ids_;
  double* distances_;
};

// Some instances of a chunk. Products are made list by list, for all instances that look into it.
class Finder {
 public:
  Finder(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products, const PrototypeTable& prototypes,
         const RowTable& rows, const RowSearch& search, RowNeighbours& out)
      : chunk_(chunk), products_(products), prototypes_(prototypes), rows_(rows), search_(search), out_(out) {}

  void run(Index first, Index last) {
    instances_.resize(static_cast<std::size_t>(last - first));
    for (std::size_t v = 0; v < chunk_.views.size(); ++v) {
      const std::vector<Index>& present = chunk_.present(v);
      for (auto row = std::lower_bound(present.begin(), present.end(), first); row != present.end() && *row < last;
           ++row) {
        instances_[static_cast<std::size_t>(*row - first)].own.push_back(
            {.view = v, .row = row - present.begin(), .dots = {}, .next = 0});
      }
    }
    std::vector<std::vector<Index>> lists = cpu::lists_for(chunk_, products_, prototypes_, rows_, search_, first, last);
    for (Index i = first; i < last; ++i) {
      std::vector<Index>& own = lists[static_cast<std::size_t>(i - first)];
      out_.lists[static_cast<std::size_t>(i)] = own;
      instances_[static_cast<std::size_t>(i - first)].lists = std::move(own);
    }
    for (std::size_t v = 0; v < chunk_.views.size(); ++v) multiply(v);
    for (Index i = first; i < last; ++i) compare(i, instances_[static_cast<std::size_t>(i - first)]);
  }

 private:
  struct Own {
    std::size_t view;
    Index row;                // of the view of the chunk
    std::vector<float> dots;  // with the members of the lists that are looked into
    std::size_t next;         // that is filled
  };
  struct Instance {
    std::vector<Own> own;
    std::vector<Index> lists;
  };

  void multiply(std::size_t v) {
    std::visit([&](const auto& X) { multiply(X, v); }, chunk_.chunk->views[v].block);
  }

  // The entries of a feature are those of all members: products with all of them are made, and those of the lists kept.
  template <class T>
  void multiply(const CsrBlock<T>& X, std::size_t v) {
    const RowTable::View& view = rows_.views[v];
    std::vector<float> dots;
    for (Instance& instance : instances_) {
      for (Own& own : instance.own) {
        if (own.view != v) continue;
        dots.assign(view.position.size(), 0);
        multiply_sparse(X, own.row, view, dots.data());
        for (const Index list : instance.lists) {
          const auto begin = dots.begin() + view.begin[static_cast<std::size_t>(list)];
          own.dots.insert(own.dots.end(), begin, begin + members_of(view, list));
        }
      }
    }
  }

  template <class T>
  void multiply(const DenseBlock<T>& X, std::size_t v) {
    const RowTable::View& view = rows_.views[v];
    const std::vector<std::vector<Own*>> looking = looking_into(v);
    std::vector<T> gathered;
    std::vector<float> products;
    for (Index list = 0; list < rows_.lists(); ++list) {
      const std::vector<Own*>& own = looking[static_cast<std::size_t>(list)];
      const Index width = members_of(view, list);
      if (own.empty() || width == 0) continue;
      gathered.resize(own.size() * static_cast<std::size_t>(X.cols));
      for (std::size_t i = 0; i < own.size(); ++i) {
        std::copy_n(X.values.data() + own[i]->row * X.cols, X.cols, gathered.data() + static_cast<Index>(i) * X.cols);
      }
      products.assign(own.size() * static_cast<std::size_t>(width), 0);
      const float* panel = view.panels.data() + view.begin[static_cast<std::size_t>(list)] * view.features;
      simd::add_product(gathered.data(), X.cols, static_cast<Index>(own.size()), X.cols, {panel, width}, width,
                        {products.data(), width});
      for (std::size_t i = 0; i < own.size(); ++i) {
        std::copy_n(products.data() + static_cast<Index>(i) * width, width, own[i]->dots.data() + own[i]->next);
        own[i]->next += static_cast<std::size_t>(width);
      }
    }
  }

  // Who looks into each list; with room for their products.
  std::vector<std::vector<Own*>> looking_into(std::size_t v) {
    std::vector<std::vector<Own*>> looking(static_cast<std::size_t>(rows_.lists()));
    for (Instance& instance : instances_) {
      for (Own& own : instance.own) {
        if (own.view != v) continue;
        Index members = 0;
        for (const Index list : instance.lists) {
          members += members_of(rows_.views[v], list);
          looking[static_cast<std::size_t>(list)].push_back(&own);
        }
        own.dots.assign(static_cast<std::size_t>(members), 0);
      }
    }
    return looking;
  }

  template <class T>
  static void multiply_sparse(const CsrBlock<T>& X, Index row, const RowTable::View& view, float* dots) {
    const CsrBlock<float>& by = view.features_of;
    const auto end = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row) + 1]);
    for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row)]); e < end; ++e) {
      const auto feature = static_cast<std::size_t>(X.columns[e]);
      const auto x = static_cast<float>(X.values[e]);
      const auto last = static_cast<std::size_t>(by.offsets[feature + 1]);
      for (auto m = static_cast<std::size_t>(by.offsets[feature]); m < last; ++m)
        dots[by.columns[m]] += x * by.values[m];
    }
  }

  static Index members_of(const RowTable::View& view, Index list) {
    return view.begin[static_cast<std::size_t>(list) + 1] - view.begin[static_cast<std::size_t>(list)];
  }

  double square_of(std::size_t v, Index row) const {
    double square = 0;
    std::visit(
        [&](const auto& X) {
          std::size_t begin = static_cast<std::size_t>(row * X.cols);
          std::size_t end = begin + static_cast<std::size_t>(X.cols);
          if constexpr (requires { X.offsets; }) {
            begin = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row)]);
            end = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row) + 1]);
          }
          for (std::size_t e = begin; e < end; ++e) {
            const auto x = static_cast<double>(static_cast<float>(X.values[e]));
            square += x * x;
          }
        },
        chunk_.chunk->views[v].block);
    return square;
  }

  void compare(Index i, const Instance& instance) {
    if (instance.own.empty()) return;
    const auto self = search_.own < 0 ? -1 : static_cast<std::int32_t>(search_.own + i);
    if (search_.whole) {
      Index positions = 0;
      for (const Index list : instance.lists) positions += positions_of(list);
      whole_.assign(static_cast<std::size_t>(positions), 0.0);
    }
    for (const Own& own : instance.own) compare(own, instance.lists, self);
    if (!search_.whole) return;
    const auto views = static_cast<double>(instance.own.size());
    Nearest nearest(out_.whole, i, self);
    // Few rows are near, and a division for each of them takes longer than all else: what is farther than the farthest,
    // and a little for rounding, is not looked at.
    const auto reach = [&] { return nearest.farthest() * views * (1 + 1e-14); };
    double most = reach();
    const double* sums = whole_.data();
    for (const Index list : instance.lists) {
      const std::int32_t* rows = rows_.row.data() + rows_.begin[static_cast<std::size_t>(list)];
      const Index count = positions_of(list);
      for (Index first = 0; first < count; first += kLookedAtOnce) {
        const Index last = std::min(first + kLookedAtOnce, count);
        int near = 0;
        for (Index p = first; p < last; ++p) near += sums[p] > most ? 0 : 1;
        if (near == 0) continue;
        for (Index p = first; p < last; ++p) {
          if (rows[p] != self) nearest.offer(rows[p], sums[p] / views);
        }
        most = reach();
      }
      sums += count;
    }
  }

  Index positions_of(Index list) const {
    return rows_.begin[static_cast<std::size_t>(list) + 1] - rows_.begin[static_cast<std::size_t>(list)];
  }

  void compare(const Own& own, const std::vector<Index>& lists, std::int32_t self) {
    const RowTable::View& view = rows_.views[own.view];
    const double square = square_of(own.view, own.row);
    const float* dots = own.dots.data();
    Nearest nearest(out_.views[own.view], own.row, self);
    Index before = 0;  // positions in the lists before
    for (const Index list : lists) {
      const Index members = members_of(view, list);
      find_distances(view, list, square, dots);
      offer_members(view, list, self, nearest);
      if (search_.whole) add_members(view, list, before);
      if (search_.whole && !view.completed.empty()) add_completed(own.view, own.row, square, list, before);
      dots += members;
      before += positions_of(list);
    }
  }

  // Loops without a branch or a number to be looked up, which compilers turn into vectors: all members are measured,
  // but few are near.
  void find_distances(const RowTable::View& view, Index list, double square, const float* dots) {
    const Index members = members_of(view, list);
    const double* squares = view.squares.data() + view.begin[static_cast<std::size_t>(list)];
    distances_.resize(static_cast<std::size_t>(members));
    double* out = distances_.data();
    for (Index m = 0; m < members; ++m) out[m] = std::max(0.0, square + squares[m] - 2 * double{dots[m]});
  }

  void offer_members(const RowTable::View& view, Index list, std::int32_t self, Nearest& nearest) const {
    const auto members = static_cast<Index>(distances_.size());
    const std::int32_t* positions = view.position.data() + view.begin[static_cast<std::size_t>(list)];
    for (Index first = 0; first < members; first += kLookedAtOnce) {
      const Index last = std::min(first + kLookedAtOnce, members);
      const double farthest = nearest.farthest();
      int near = 0;
      for (Index m = first; m < last; ++m) near += distances_[static_cast<std::size_t>(m)] <= farthest ? 1 : 0;
      for (Index m = first; m < last && near > 0; ++m) {
        const std::int32_t other = rows_.row[static_cast<std::size_t>(positions[m])];
        if (other != self) nearest.offer(other, distances_[static_cast<std::size_t>(m)]);
      }
    }
  }

  void add_members(const RowTable::View& view, Index list, Index before) {
    const auto members = static_cast<Index>(distances_.size());
    const std::int32_t* positions = view.position.data() + view.begin[static_cast<std::size_t>(list)];
    double* whole = whole_.data() + before;
    if (members == positions_of(list)) {  // nobody lacks the view
      for (Index m = 0; m < members; ++m) whole[m] += distances_[static_cast<std::size_t>(m)];
      return;
    }
    const auto begin = rows_.begin[static_cast<std::size_t>(list)];
    for (Index m = 0; m < members; ++m) whole[positions[m] - begin] += distances_[static_cast<std::size_t>(m)];
  }

  void add_completed(std::size_t v, Index row, double square, Index list, Index before) {
    const RowTable::View& view = rows_.views[v];
    const float* product = products_[v].row(row).data();
    const auto at = static_cast<std::size_t>(list);
    for (Index p = rows_.begin[at]; p < rows_.begin[at + 1]; ++p) {
      const double completed = view.completed[static_cast<std::size_t>(p)];
      if (std::isnan(completed)) continue;
      const auto from = static_cast<std::size_t>(p * rows_.near);
      double dot = 0;
      for (auto j = from; j < from + static_cast<std::size_t>(rows_.near); ++j) {
        dot += double{rows_.near_weights[j]} * double{product[rows_.near_ids[j]]};
      }
      whole_[static_cast<std::size_t>(before + p - rows_.begin[at])] += std::max(0.0, square + completed - 2 * dot);
    }
  }

  const PreparedChunk& chunk_;
  const std::vector<NarrowMatrix>& products_;
  const PrototypeTable& prototypes_;
  const RowTable& rows_;
  const RowSearch& search_;
  RowNeighbours& out_;
  std::vector<Instance> instances_;
  std::vector<double> whole_;      // by position in the lists
  std::vector<double> distances_;  // of the members of a list
};

}  // namespace

void cpu::find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                    const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search, RowNeighbours& out,
                    Compute& compute) {
  for_blocks(compute, chunk.size(), rows.lists() > 1 ? kListedAtOnce : kInstancesAtOnce, true,
             [&](Index first, Index last) { Finder(chunk, products, prototypes, rows, search, out).run(first, last); });
}

}  // namespace omvc
