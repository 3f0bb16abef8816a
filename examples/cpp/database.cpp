// Clusters rows of a data base without holding them: a Source over SQLite. Sensors report temperature and pressure, and
// some of them lack one of the two.
#include <iostream>
#include <limits>
#include <memory>
#include <omvc/clusterer.hpp>
#include <omvc/error.hpp>
#include <omvc/explain.hpp>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <vector>

namespace {

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

struct EndStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, EndStatement>;

[[noreturn]] void fail(sqlite3* database) { throw omvc::Error(omvc::ErrorKind::io, sqlite3_errmsg(database)); }

Statement prepare(sqlite3* database, const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, query.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail(database);
  return Statement(statement);
}

// The rows of a query, in one fixed order: id, then the columns of all views. A view whose columns are all NULL is
// missing from the row; a single NULL is a missing value.
class QuerySource final : public omvc::Source {
 public:
  QuerySource(sqlite3* database, const std::string& query, omvc::Schema schema)
      : database_(database), statement_(prepare(database, query)), schema_(std::move(schema)) {}

  const omvc::Schema& schema() const override { return schema_; }

  std::optional<omvc::Chunk> next(omvc::Index max_rows) override {
    omvc::Chunk chunk;
    std::vector<omvc::DenseBlock<double>> blocks(schema_.views.size());
    while (chunk.size() < max_rows && step()) {
      chunk.rows.push_back(row_++);  // numbered through from 0, whatever the ids are
      int column = 1;
      for (std::size_t v = 0; v < blocks.size(); ++v) {
        for (omvc::Index j = 0; j < schema_.views[v].features; ++j) blocks[v].values.push_back(value(column++));
      }
    }
    if (chunk.rows.empty()) return std::nullopt;
    for (std::size_t v = 0; v < blocks.size(); ++v) {
      blocks[v].rows = chunk.size();
      blocks[v].cols = schema_.views[v].features;
      chunk.views.push_back(omvc::view_from_rows(std::move(blocks[v]), schema_.views[v].name, chunk.rows.front()));
    }
    return chunk;
  }

  // A fit reads the data once for a look, and again where they are more than its sample holds.
  bool rewind() override {
    sqlite3_reset(statement_.get());
    row_ = 0;
    ended_ = false;
    return true;
  }

 private:
  bool step() {
    if (ended_) return false;  // SQLite would begin anew
    const int status = sqlite3_step(statement_.get());
    if (status != SQLITE_ROW && status != SQLITE_DONE) fail(database_);
    ended_ = status == SQLITE_DONE;
    return !ended_;
  }

  double value(int column) const {
    const bool none = sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
    return none ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(statement_.get(), column);
  }

  sqlite3* database_;
  Statement statement_;
  omvc::Schema schema_;
  omvc::Index row_ = 0;
  bool ended_ = false;
};

Database make_database() {
  sqlite3* opened = nullptr;
  // The source is read by threads of the fit, one at a time: the connection is opened for that.
  if (sqlite3_open_v2(":memory:", &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, nullptr) != SQLITE_OK) {
    fail(opened);
  }
  Database database(opened);
  const char* const script =
      "CREATE TABLE sensors (id INTEGER PRIMARY KEY, morning REAL, noon REAL, night REAL, low REAL, high REAL);"
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
      "INSERT INTO sensors SELECT i,"
      "  CASE WHEN i % 7 = 0 THEN NULL ELSE 10.0 * (i % 3) + i % 13 / 6.0 END,"
      "  CASE WHEN i % 7 = 0 THEN NULL ELSE 12.0 * (i % 3) + i % 17 / 6.0 END,"
      "  CASE WHEN i % 7 = 0 THEN NULL ELSE 20.0 - 5.0 * (i % 3) + i % 11 / 6.0 END,"
      "  CASE WHEN i % 7 = 1 THEN NULL ELSE 1000 + 9.0 * (i % 3) + i % 19 / 6.0 END,"
      "  CASE WHEN i % 7 = 1 THEN NULL ELSE 1030 - 9.0 * (i % 3) + i % 23 / 6.0 END FROM n;";
  if (sqlite3_exec(opened, script, nullptr, nullptr, nullptr) != SQLITE_OK) fail(opened);
  return database;
}

void cluster() {
  const Database database = make_database();
  QuerySource source(database.get(), "SELECT id, morning, noon, night, low, high FROM sensors ORDER BY id",
                     {.views = {{"temperature", 3, {"morning", "noon", "night"}}, {"pressure", 2, {"low", "high"}}}});
  // In a test of your own: reads the source twice and says what is wrong with it.
  std::cout << omvc::check_source(source) << " sensors\n";
  source.rewind();

  omvc::Options options;
  options.clusters = 3;
  omvc::Clusterer model(options);
  const omvc::Fitted fitted = model.fit(source);
  for (std::size_t k = 0; k < fitted.report.cluster_sizes.size(); ++k) {
    const int number = fitted.report.cluster_numbers[k];
    std::cout << "cluster " << number << " has " << fitted.report.cluster_sizes[k] << " sensors";
    for (const omvc::Feature& feature : top_features(model, 0, number, 1)) {
      std::cout << "; " << feature.name << " is " << (feature.high ? "high" : "low") << " (" << feature.weight << ")";
    }
    std::cout << '\n';
  }
}

}  // namespace

int main() {
  try {
    cluster();
  } catch (const omvc::Error& error) {
    std::cerr << "database: " << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
