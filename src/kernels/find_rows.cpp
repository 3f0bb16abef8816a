// The search for the nearest rows of a table, on the threads of a processor.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "kernels/cpu_forms.hpp"
#include "kernels/nearest.hpp"
#include "kernels/simd.hpp"
#include "kernels/simd_search.hpp"

namespace omvc {
namespace {

constexpr Index kInstancesAtOnce = 32;  // that a thread compares with all rows,
constexpr Index kListedAtOnce = 512;    // and with those of lists, so that several look into each
constexpr Index kLookedAtOnce = 256;    // distances of rows of which most are too large
constexpr double kSlack = 1 + 1e-14;    // for what rounding makes of a sum that is divided

// The rows that lack a view and take part with what their prototypes say of it: positions, ascending, and where those
// of each list begin, and the end. None where no row is completed.
struct Completed {
  std::vector<std::int32_t> positions;
  std::vector<std::size_t> begin;
};

Completed completed_rows(const RowTable& rows, const RowTable::View& view) {
  Completed out;
  for (Index list = 0; !view.completed.empty() && list <= rows.lists(); ++list) {
    out.begin.push_back(out.positions.size());
    if (list == rows.lists()) break;
    const auto at = static_cast<std::size_t>(list);
    for (Index p = rows.begin[at]; p < rows.begin[at + 1]; ++p) {
      if (!std::isnan(view.completed[static_cast<std::size_t>(p)]))
        out.positions.push_back(static_cast<std::int32_t>(p));
    }
  }
  return out;
}

// Some instances of a chunk. Products are made list by list, for all instances that look into it.
class Finder {
 public:
  Finder(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products, const PrototypeTable& prototypes,
         const RowTable& rows, const std::vector<Completed>& completed, const RowSearch& search, RowNeighbours& out)
      : chunk_(chunk),
        products_(products),
        prototypes_(prototypes),
        rows_(rows),
        completed_(completed),
        search_(search),
        out_(out) {}

  void run(Index first, Index last) {
    std::vector<std::vector<Index>> lists = cpu::lists_for(chunk_, products_, prototypes_, rows_, search_, first, last);
    std::move(lists.begin(), lists.end(), out_.lists.begin() + first);
    take(first, last);
    for (std::size_t v = 0; v < chunk_.views.size(); ++v) multiply(v);
    for (Index i = first; i < last; ++i) compare(i, own_of(i - first));
  }

 private:
  // A row of a view of one of the instances.
  struct Own {
    std::size_t view;
    Index row;          // of the view of the chunk
    Index instance;     // of the chunk
    std::size_t first;  // in products_at_: of the lists that the instance looks into,
    std::size_t next;   // and of the next that has none yet
  };

  void take(Index first, Index last) {
    std::vector<Index> next(chunk_.views.size());
    for (std::size_t v = 0; v < next.size(); ++v) {
      const std::vector<Index>& present = chunk_.present(v);
      next[v] = std::lower_bound(present.begin(), present.end(), first) - present.begin();
    }
    for (Index i = first; i < last; ++i) {
      begin_.push_back(own_.size());
      for (std::size_t v = 0; v < next.size(); ++v) {
        const std::vector<Index>& present = chunk_.present(v);
        const auto row = static_cast<std::size_t>(next[v]);
        if (row == present.size() || present[row] != i) continue;
        own_.push_back({v, next[v]++, i, products_at_.size(), products_at_.size()});
        products_at_.resize(products_at_.size() + lists_of(i).size());
      }
    }
    begin_.push_back(own_.size());
  }

  const std::vector<Index>& lists_of(Index instance) const { return out_.lists[static_cast<std::size_t>(instance)]; }
  std::span<const Own> own_of(Index at) const {
    const std::size_t begin = begin_[static_cast<std::size_t>(at)];
    return {own_.data() + begin, begin_[static_cast<std::size_t>(at) + 1] - begin};
  }

  void multiply(std::size_t v) {
    std::visit([&](const auto& X) { multiply(X, v); }, chunk_.chunk->views[v].block);
  }

  // The entries of a feature are those of all members: products with all of them are made, and those of the lists kept.
  template <class T>
  void multiply(const CsrBlock<T>& X, std::size_t v) {
    const RowTable::View& view = rows_.views[v];
    std::vector<float> dots;
    for (Own& own : own_) {
      if (own.view != v) continue;
      dots.assign(view.position.size(), 0);
      multiply_sparse(X, own.row, view, dots.data());
      for (const Index list : lists_of(own.instance)) {
        const auto begin = dots.begin() + view.begin[static_cast<std::size_t>(list)];
        products_at_[own.next++] = dots_.size();
        dots_.insert(dots_.end(), begin, begin + members_of(view, list));
      }
    }
  }

  template <class T>
  void multiply(const DenseBlock<T>& X, std::size_t v) {
    const RowTable::View& view = rows_.views[v];
    look_into(v);
    std::vector<T> gathered;
    for (Index list = 0; list < rows_.lists(); ++list) {
      const auto begin = static_cast<std::size_t>(looking_begin_[static_cast<std::size_t>(list)]);
      const Index rows = looking_begin_[static_cast<std::size_t>(list) + 1] - static_cast<Index>(begin);
      const Index width = members_of(view, list);
      if (rows == 0) continue;
      gathered.resize(static_cast<std::size_t>(rows * X.cols));
      const std::size_t at = dots_.size();
      for (Index i = 0; i < rows; ++i) {
        Own& own = own_[looking_[begin + static_cast<std::size_t>(i)]];
        std::copy_n(X.values.data() + own.row * X.cols, X.cols, gathered.data() + i * X.cols);
        products_at_[own.next++] = at + static_cast<std::size_t>(i * width);
      }
      if (width == 0) continue;
      dots_.resize(at + static_cast<std::size_t>(rows * width), 0);
      const float* panel = view.panels.data() + view.begin[static_cast<std::size_t>(list)] * view.features;
      simd::add_product(gathered.data(), X.cols, rows, X.cols, {panel, width}, width, {dots_.data() + at, width});
    }
  }

  // Who looks into each list, places in own_ in the order of the lists.
  void look_into(std::size_t v) {
    looking_begin_.assign(static_cast<std::size_t>(rows_.lists()) + 1, 0);
    const auto each = [&](const auto& body) {
      for (std::size_t at = 0; at < own_.size(); ++at) {
        if (own_[at].view != v) continue;
        for (const Index list : lists_of(own_[at].instance)) body(at, static_cast<std::size_t>(list));
      }
    };
    each([&](std::size_t, std::size_t list) { ++looking_begin_[list + 1]; });
    std::partial_sum(looking_begin_.begin(), looking_begin_.end(), looking_begin_.begin());
    looking_.resize(static_cast<std::size_t>(looking_begin_.back()));
    std::vector<Index> next(looking_begin_.begin(), looking_begin_.end() - 1);
    each([&](std::size_t at, std::size_t list) { looking_[static_cast<std::size_t>(next[list]++)] = at; });
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

  void compare(Index i, std::span<const Own> own) {
    if (own.empty()) return;
    const auto self = search_.own < 0 ? -1 : static_cast<std::int32_t>(search_.own + i);
    const std::vector<Index>& lists = lists_of(i);
    if (search_.whole) {
      Index positions = 0;
      for (const Index list : lists) positions += positions_of(list);
      whole_.assign(static_cast<std::size_t>(positions), 0.0);
    }
    for (const Own& row : own) compare(row, lists, self);
    if (!search_.whole) return;
    const auto views = static_cast<double>(own.size());
    cpu::Nearest nearest(out_.whole, i, self);
    const auto size = static_cast<Index>(whole_.size());
    const double reach = cpu::within_reach(whole_.data(), size, nearest.needed()) * kSlack;
    // Few rows are near, and a division for each of them takes longer than all else: what is farther than the farthest
    // is not looked at.
    for_near(
        whole_, lists, [&](Index list) { return positions_of(list); },
        [&] { return std::min(reach, nearest.farthest() * views * kSlack); },
        [&](Index list, Index p, double sum) {
          const std::int32_t row = rows_.row[static_cast<std::size_t>(rows_.begin[static_cast<std::size_t>(list)] + p)];
          if (row != self) nearest.offer(row, sum / views);
        });
  }

  // `values` are those of some lists, one after the other, of the size that size(list) says. Calls body(list, place in
  // it, value) for those that are no larger than bound() says, which may go down on the way.
  template <class Size, class Bound, class Body>
  static void for_near(const std::vector<double>& values, const std::vector<Index>& lists, const Size& size,
                       const Bound& bound, const Body& body) {
    std::array<std::int32_t, kLookedAtOnce> places;
    const auto count = static_cast<Index>(values.size());
    std::size_t l = 0;
    Index begin = 0;  // of the list
    for (Index first = 0; first < count; first += kLookedAtOnce) {
      const Index some = std::min(kLookedAtOnce, count - first);
      const Index few = simd::places_up_to(values.data() + first, some, bound(), places.data());
      for (Index f = 0; f < few; ++f) {
        const Index at = first + places[static_cast<std::size_t>(f)];
        for (Index end = begin + size(lists[l]); at >= end; end += size(lists[l])) {
          begin = end;
          ++l;
        }
        body(lists[l], at - begin, values[static_cast<std::size_t>(at)]);
      }
    }
  }

  Index positions_of(Index list) const {
    return rows_.begin[static_cast<std::size_t>(list) + 1] - rows_.begin[static_cast<std::size_t>(list)];
  }

  void compare(const Own& own, const std::vector<Index>& lists, std::int32_t self) {
    const RowTable::View& view = rows_.views[own.view];
    const double square = square_of(own.view, own.row);
    Index all = 0;
    for (const Index list : lists) all += members_of(view, list);
    distances_.resize(static_cast<std::size_t>(all));
    double* distances = distances_.data();
    Index before = 0;  // positions in the lists before
    for (std::size_t l = 0; l < lists.size(); ++l) {
      const Index list = lists[l];
      const Index members = members_of(view, list);
      simd::squared_distances(square, view.squares.data() + view.begin[static_cast<std::size_t>(list)],
                              dots_.data() + products_at_[own.first + l], members, distances);
      if (search_.whole) add_members(view, list, distances, whole_.data() + before);
      if (search_.whole && !view.completed.empty()) add_completed(own.view, own.row, square, list, before);
      distances += members;
      before += positions_of(list);
    }
    cpu::Nearest nearest(out_.views[own.view], own.row, self);
    const double reach = cpu::within_reach(distances_.data(), all, nearest.needed());
    for_near(
        distances_, lists, [&](Index list) { return members_of(view, list); },
        [&] { return std::min(reach, nearest.farthest()); },
        [&](Index list, Index m, double distance) {
          const auto member = static_cast<std::size_t>(view.begin[static_cast<std::size_t>(list)] + m);
          const std::int32_t other = rows_.row[static_cast<std::size_t>(view.position[member])];
          if (other != self) nearest.offer(other, distance);
        });
  }

  void add_members(const RowTable::View& view, Index list, const double* distances, double* whole) const {
    const Index members = members_of(view, list);
    if (members == positions_of(list)) return simd::add_values(distances, members, whole);  // nobody lacks it
    const std::int32_t* positions = view.position.data() + view.begin[static_cast<std::size_t>(list)];
    const Index begin = rows_.begin[static_cast<std::size_t>(list)];
    for (Index m = 0; m < members; ++m) whole[positions[m] - begin] += distances[m];
  }

  void add_completed(std::size_t v, Index row, double square, Index list, Index before) {
    const RowTable::View& view = rows_.views[v];
    const float* product = products_[v].row(row).data();
    const auto at = static_cast<std::size_t>(list);
    for (std::size_t c = completed_[v].begin[at]; c < completed_[v].begin[at + 1]; ++c) {
      const Index p = completed_[v].positions[c];
      const double completed = view.completed[static_cast<std::size_t>(p)];
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
  const std::vector<Completed>& completed_;  // of each view, where all views are searched together
  const RowSearch& search_;
  RowNeighbours& out_;
  std::vector<Own> own_;                  // of all instances, in their order,
  std::vector<std::size_t> begin_;        // and where those of each begin, and the end
  std::vector<float> dots_;               // products of all of them with the members of the lists they look into
  std::vector<std::size_t> products_at_;  // where those with each list begin
  std::vector<std::size_t> looking_;      // into each list: places in own_,
  std::vector<Index> looking_begin_;      // and where those of each list begin, and the end
  std::vector<double> whole_;             // by position in the lists
  std::vector<double> distances_;         // of the members of the lists that an instance looks into
};

}  // namespace

void cpu::find_rows(const PreparedChunk& chunk, const std::vector<NarrowMatrix>& products,
                    const PrototypeTable& prototypes, const RowTable& rows, const RowSearch& search, RowNeighbours& out,
                    Compute& compute) {
  std::vector<Completed> completed;
  for (std::size_t v = 0; search.whole && v < rows.views.size(); ++v) {
    completed.push_back(completed_rows(rows, rows.views[v]));
  }
  for_blocks(compute, chunk.size(), rows.lists() > 1 ? kListedAtOnce : kInstancesAtOnce, true,
             [&](Index first, Index last) {
               Finder(chunk, products, prototypes, rows, completed, search, out).run(first, last);
             });
}

}  // namespace omvc
