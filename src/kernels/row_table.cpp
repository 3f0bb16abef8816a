#include "kernels/row_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "chunk/kinds.hpp"
#include "kernels/simd.hpp"

namespace omvc {
namespace {

constexpr float kAlike = 1e-6F;
constexpr double kSquareAlike = 1e-5;
constexpr Index kColumns = 64;  // of a product of the prototypes with themselves, made at a time

// Numbers that came as floats and as doubles differ by rounding once they are scaled.
bool alike(float x, float y) { return std::abs(x - y) <= kAlike * std::max(std::abs(x), std::abs(y)); }

// One row of a block, handed on as (column, value).
template <class Body>
void for_values(const Block& block, Index row, const Body& body) {
  std::visit(
      [&](const auto& X) {
        if constexpr (requires { X.offsets; }) {
          const auto end = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row) + 1]);
          for (auto e = static_cast<std::size_t>(X.offsets[static_cast<std::size_t>(row)]); e < end; ++e) {
            body(Index{X.columns[e]}, static_cast<float>(X.values[e]));
          }
        } else {
          const auto* x = X.values.data() + row * X.cols;
          for (Index j = 0; j < X.cols; ++j) body(j, static_cast<float>(x[j]));
        }
      },
      block);
}

// Where a row of the table is in the pieces.
struct Place {
  std::size_t piece;
  Index instance;
};

// A member of a dense view: its values lie a step apart.
struct Column {
  const float* first;
  Index step;
};
Column column_of(const RowTable::View& view, std::int32_t member) {
  const auto list = std::upper_bound(view.begin.begin(), view.begin.end(), Index{member}) - 1;
  return {view.panels.data() + *list * view.features + (member - *list), *(list + 1) - *list};
}

Block dense_rows(const RowTable::View& view, const std::vector<Index>& present) {
  std::vector<float> values(present.size() * static_cast<std::size_t>(view.features));
  for (std::size_t i = 0; i < present.size(); ++i) {
    const Column column = column_of(view, view.member[static_cast<std::size_t>(present[i])]);
    for (Index j = 0; j < view.features; ++j) {
      values[i * static_cast<std::size_t>(view.features) + static_cast<std::size_t>(j)] = column.first[j * column.step];
    }
  }
  return DenseBlock<float>{
      .rows = static_cast<Index>(present.size()), .cols = view.features, .values = std::move(values)};
}

Block sparse_rows(const RowTable::View& view, const std::vector<Index>& present) {
  std::vector<std::vector<std::pair<std::int32_t, float>>> entries(view.position.size());
  const CsrBlock<float>& by = view.features_of;
  for (Index j = 0; j < by.rows; ++j) {
    for (auto e = static_cast<std::size_t>(by.offsets[static_cast<std::size_t>(j)]);
         e < static_cast<std::size_t>(by.offsets[static_cast<std::size_t>(j) + 1]); ++e) {
      entries[static_cast<std::size_t>(by.columns[e])].emplace_back(static_cast<std::int32_t>(j), by.values[e]);
    }
  }
  CsrBlock<float> out{.rows = static_cast<Index>(present.size()), .cols = view.features};
  std::vector<float> values;
  for (const Index at : present) {
    for (const auto& [column, value] : entries[static_cast<std::size_t>(view.member[static_cast<std::size_t>(at)])]) {
      out.columns.push_back(column);
      values.push_back(value);
    }
    out.offsets.push_back(static_cast<Index>(values.size()));
  }
  out.values = std::move(values);
  return out;
}

class Maker {
 public:
  Maker(const RowTableParts& parts, Compute& compute)
      : pieces_(parts.pieces), near_(parts.near), prototypes_(parts.prototypes), compute_(compute) {
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      for (Index i = 0; i < pieces_[p].size(); ++i) places_.push_back({p, i});
    }
    out_.list_of = parts.list_of;
    make_lists();
    if (parts.complete) keep_near();
  }

  RowTable run() {
    out_.views.resize(pieces_.front().views.size());
    for (std::size_t v = 0; v < out_.views.size(); ++v) make_view(v);
    out_.id = new_table_id();
    return std::move(out_);
  }

 private:
  std::int32_t list_at(const Place& place) const {
    if (out_.list_of.empty()) return 0;
    return out_.list_of[static_cast<std::size_t>(std::max(0, near_[place.piece].id(place.instance, 0)))];
  }

  void make_lists() {
    const auto last = std::max_element(out_.list_of.begin(), out_.list_of.end());
    out_.begin.assign(last == out_.list_of.end() ? 2 : static_cast<std::size_t>(*last) + 2, 0);
    for (const Place& place : places_) ++out_.begin[static_cast<std::size_t>(list_at(place)) + 1];
    std::partial_sum(out_.begin.begin(), out_.begin.end(), out_.begin.begin());
    std::vector<Index> next(out_.begin.begin(), out_.begin.end() - 1);
    out_.row.resize(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const auto list = static_cast<std::size_t>(list_at(places_[i]));
      out_.row[static_cast<std::size_t>(next[list]++)] = static_cast<std::int32_t>(i);
    }
  }

  void keep_near() {
    out_.near = near_.front().count;
    for (const std::int32_t row : out_.row) {
      const Place& place = places_[static_cast<std::size_t>(row)];
      for (Index j = 0; j < out_.near; ++j) {
        out_.near_ids.push_back(std::max(0, near_[place.piece].id(place.instance, j)));
        out_.near_weights.push_back(static_cast<float>(near_[place.piece].weight(place.instance, j)));
      }
    }
  }

  // The row of the view that each position has in its piece; -1: it lacks the view.
  std::vector<Index> rows_of(std::size_t v) const {
    std::vector<std::vector<Index>> by_piece(pieces_.size());
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      by_piece[p].assign(static_cast<std::size_t>(pieces_[p].size()), -1);
      const std::vector<Index>& present = pieces_[p].present(v);
      for (std::size_t i = 0; i < present.size(); ++i) {
        by_piece[p][static_cast<std::size_t>(present[i])] = static_cast<Index>(i);
      }
    }
    std::vector<Index> out;
    for (const std::int32_t row : out_.row) {
      const Place& place = places_[static_cast<std::size_t>(row)];
      out.push_back(by_piece[place.piece][static_cast<std::size_t>(place.instance)]);
    }
    return out;
  }

  const Block& block_at(std::size_t position, std::size_t v) const {
    return pieces_[places_[static_cast<std::size_t>(out_.row[position])].piece].chunk->views[v].block;
  }

  void make_view(std::size_t v) {
    RowTable::View& view = out_.views[v];
    const std::vector<Index> rows = rows_of(v);
    const Block& first = pieces_.front().chunk->views[v].block;
    view.features = block_cols(first);
    view.sparse = is_sparse(first);
    for (Index list = 0; list < out_.lists(); ++list) {
      view.begin.push_back(static_cast<Index>(view.position.size()));
      for (Index at = out_.begin[static_cast<std::size_t>(list)]; at < out_.begin[static_cast<std::size_t>(list) + 1];
           ++at) {
        if (rows[static_cast<std::size_t>(at)] >= 0) view.position.push_back(static_cast<std::int32_t>(at));
      }
    }
    view.begin.push_back(static_cast<Index>(view.position.size()));
    view.member.assign(out_.row.size(), -1);
    for (std::size_t m = 0; m < view.position.size(); ++m) {
      view.member[static_cast<std::size_t>(out_.row[static_cast<std::size_t>(view.position[m])])] =
          static_cast<std::int32_t>(m);
    }
    view.squares.assign(view.position.size(), 0.0);
    if (view.sparse) {
      fill_sparse(v, rows, view);
    } else {
      fill_dense(v, rows, view);
    }
    if (out_.near > 0 && view.position.size() < out_.row.size()) complete(v, rows, view);
  }

  void fill_dense(std::size_t v, const std::vector<Index>& rows, RowTable::View& view) const {
    view.panels.resize(view.position.size() * static_cast<std::size_t>(view.features));
    for_blocks(compute_, out_.lists(), 1, out_.lists() > 1, [&](Index list, Index) {
      const Index begin = view.begin[static_cast<std::size_t>(list)];
      const Index members = view.begin[static_cast<std::size_t>(list) + 1] - begin;
      float* panel = view.panels.data() + begin * view.features;
      for (Index i = 0; i < members; ++i) {
        const auto member = static_cast<std::size_t>(begin + i);
        const auto position = static_cast<std::size_t>(view.position[member]);
        for_values(block_at(position, v), rows[position], [&](Index j, float x) {
          panel[j * members + i] = x;
          view.squares[member] += double{x} * double{x};
        });
      }
    });
  }

  void fill_sparse(std::size_t v, const std::vector<Index>& rows, RowTable::View& view) const {
    CsrBlock<float>& out = view.features_of;
    out.rows = view.features;
    out.cols = static_cast<Index>(view.position.size());
    out.offsets.assign(static_cast<std::size_t>(view.features) + 1, 0);
    const auto each = [&](const auto& body) {
      for (std::size_t member = 0; member < view.position.size(); ++member) {
        const auto position = static_cast<std::size_t>(view.position[member]);
        for_values(block_at(position, v), rows[position], [&](Index j, float x) { body(member, j, x); });
      }
    };
    each([&](std::size_t, Index j, float) { ++out.offsets[static_cast<std::size_t>(j) + 1]; });
    std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
    std::vector<float> values(static_cast<std::size_t>(out.offsets.back()));
    out.columns.resize(values.size());
    std::vector<Index> next(out.offsets.begin(), out.offsets.end() - 1);
    each([&](std::size_t member, Index j, float x) {
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(j)]++);
      out.columns[to] = static_cast<std::int32_t>(member);
      values[to] = x;
      view.squares[member] += double{x} * double{x};
    });
    out.values = std::move(values);
  }

  // ||sum_p z_p P_p||^2 = z' (P' P) z of every row that lacks the view.
  void complete(std::size_t v, const std::vector<Index>& rows, RowTable::View& view) const {
    const NarrowMatrix& P = prototypes_.columns[v];
    NarrowMatrix gram(P.cols(), P.cols());
    for_blocks(compute_, P.cols(), kColumns, true, [&](Index first, Index last) {
      gram.middleRows(first, last - first).noalias() = P.middleCols(first, last - first).transpose() * P;
    });
    view.completed.assign(out_.row.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t at = 0; at < rows.size(); ++at) {
      if (rows[at] >= 0) continue;
      const std::int32_t* ids = out_.near_ids.data() + at * static_cast<std::size_t>(out_.near);
      const float* z = out_.near_weights.data() + at * static_cast<std::size_t>(out_.near);
      double square = 0;
      for (Index a = 0; a < out_.near; ++a) {
        for (Index b = 0; b < out_.near; ++b) square += double{z[a]} * double{z[b]} * double{gram(ids[a], ids[b])};
      }
      view.completed[at] = square;
    }
  }

  const std::vector<PreparedChunk>& pieces_;
  const std::vector<Near>& near_;
  const PrototypeTable& prototypes_;
  Compute& compute_;
  std::vector<Place> places_;
  RowTable out_;
};

}  // namespace

std::vector<std::int32_t> group_prototypes(const PrototypeTable& prototypes, Index rows, Compute& compute) {
  const Index m = prototypes.size();
  const Index lists = std::clamp<Index>(rows / kListRows, 1, m);
  std::vector<Index> heads;  // spread over all prototypes
  for (Index list = 0; list < lists; ++list) heads.push_back(list * m / lists);
  Matrix distances = Matrix::Zero(m, lists);  // short of what is the same for all heads
  for (std::size_t v = 0; v < prototypes.columns.size(); ++v) {
    const NarrowMatrix& P = prototypes.columns[v];
    const Matrix of_heads = P(Eigen::all, heads).cast<double>() * -2;
    for_blocks(compute, m, kColumns, true, [&](Index first, Index last) {
      distances.middleRows(first, last - first).rowwise() += RowVector(prototypes.norms[v](heads));
      simd::add_transpose_product(P.data() + first, m, last - first, P.rows(), {of_heads.data(), lists}, lists,
                                  {distances.data() + first * lists, lists});
    });
  }
  std::vector<std::int32_t> out(static_cast<std::size_t>(m));
  for (Index p = 0; p < m; ++p) {
    Index nearest = 0;
    distances.row(p).minCoeff(&nearest);
    out[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(nearest);
  }
  return out;
}

RowTable make_row_table(const RowTableParts& parts, Compute& compute) { return Maker(parts, compute).run(); }

bool equals_row(const Block& block, Index row, const RowTable& table, std::size_t v, std::int32_t other) {
  const RowTable::View& view = table.views[v];
  const std::int32_t member = view.member[static_cast<std::size_t>(other)];
  bool equal = true;
  if (!view.sparse) {
    const Column column = column_of(view, member);
    for_values(block, row, [&](Index j, float x) { equal = equal && alike(x, column.first[j * column.step]); });
    return equal;
  }
  double square = 0;
  for_values(block, row, [&](Index j, float x) {
    if (x == 0 || !equal) return;
    const auto begin = view.features_of.columns.begin() + view.features_of.offsets[static_cast<std::size_t>(j)];
    const auto end = view.features_of.columns.begin() + view.features_of.offsets[static_cast<std::size_t>(j) + 1];
    const auto found = std::lower_bound(begin, end, member);
    equal = found != end && *found == member &&
            alike(view.features_of.values[static_cast<std::size_t>(found - view.features_of.columns.begin())], x);
    square += double{x} * double{x};
  });
  return equal && std::abs(square - view.squares[static_cast<std::size_t>(member)]) <= kSquareAlike * square;
}

std::vector<Index> lists_of(const RowTable& table) {
  std::vector<Index> out(table.row.size(), 0);
  for (Index list = 0; list < table.lists(); ++list) {
    for (Index at = table.begin[static_cast<std::size_t>(list)]; at < table.begin[static_cast<std::size_t>(list) + 1];
         ++at) {
      out[static_cast<std::size_t>(table.row[static_cast<std::size_t>(at)])] = list;
    }
  }
  return out;
}

Chunk rows_of(const RowTable& table) {
  Chunk out;
  for (Index i = 0; i < table.size(); ++i) out.rows.push_back(i);
  for (const RowTable::View& view : table.views) {
    ChunkView& to = out.views.emplace_back();
    for (std::size_t i = 0; i < view.member.size(); ++i) {
      if (view.member[i] >= 0) to.present.push_back(static_cast<Index>(i));
    }
    to.block = view.sparse ? sparse_rows(view, to.present) : dense_rows(view, to.present);
  }
  return out;
}

}  // namespace omvc
