// What the columns of a text file become: features, several features (categories), or nothing.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/table/cell.hpp"
#include "source/table/text_layout.hpp"

namespace omvc {

struct Column {
  enum class Kind { number, category, left_out };
  Kind kind = Kind::number;
  std::vector<std::string> values;  // of a category, in order; each is a feature "name=value" that is 0 or 1
  std::unordered_map<std::string, std::size_t> place;
  std::string mark;      // of numbers: the percent sign, or that of a currency, which every cell has
  bool dropped = false;  // the user says --drop
  bool words = false;    // it is left out since it holds text that hardly comes again
};

struct Columns {
  std::vector<Column> all;                 // one for each column of the file; that of the ids is left out
  std::vector<std::string> feature_names;  // none without a header and without categories
  std::vector<std::string> notes;          // which columns are not what they look like, for the user
  std::size_t features = 0;
  bool known = false;  // the values of categories are those of a model, and others count as missing
};

// The most values that a category may have.
inline constexpr std::size_t kMostCategories = 50;

// Looks at the cells of a file, or of its first lines, and decides. A column is
//   - numbers, if at least half of its values are, or nine in ten have the same mark beside a number: a percent sign or
//     that of a currency (a cell that is not is refused when it is read);
//   - a category, if it has at most kMostCategories values which, on the whole, come more than once;
//   - left out otherwise, as dates and free text are.
// The first line of a stream cannot show that words come again. There a column is what the model says; else truth
// values are a category of both, dates are left out, and everything else is numbers, so that a word is refused where it
// stands. What the model lacks is left out unless it is a number.
class ColumnFinder {
 public:
  // `like` are feature names of a model, which tell how a column was read for it. All must outlive the finder.
  // Throws ErrorKind::usage for TextOptions::columns or drop that no column has.
  ColumnFinder(const LayoutWishes& wishes, const TextLayout& layout, const CellFormat& cells,
               const std::vector<std::string>& like);

  // The fields of a line, of which there are as many as columns.
  void add(const std::vector<std::string_view>& fields);

  // Whether the lines so far leave a doubt: a column has something else than numbers in it, or nothing.
  bool in_doubt() const;

  // From now on only the columns in doubt are looked at, from the first line on.
  void look_closer();

  Columns finish() const;

 private:
  struct Seen {
    bool wanted = true;
    bool dropped = false;
    bool closer = false;
    std::size_t values = 0;
    std::size_t numbers = 0;
    std::size_t dates = 0;
    std::map<std::string_view, std::size_t> marked;          // numbers with a percent sign or that of a currency
    std::unordered_map<std::string, std::size_t> different;  // up to one more than kMostCategories
  };

  void select();
  bool doubtful(const Seen& seen) const { return seen.wanted && (seen.values == 0 || seen.numbers < seen.values); }
  std::string title(std::size_t column) const;
  std::vector<std::string> values_in_model(std::size_t column) const;
  std::string common_mark(const Seen& seen) const;
  bool is_number(std::string_view cell) const;
  Column decide(std::size_t column, Columns& out) const;
  Column category(std::size_t column, std::vector<std::string> values, Columns& out) const;

  const LayoutWishes& wishes_;
  const TextLayout& layout_;
  const CellFormat& cells_;
  const std::vector<std::string>& like_;
  std::vector<Seen> seen_;
  bool complete_ = false;
};

}  // namespace omvc
