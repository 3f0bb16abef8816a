#include <algorithm>
#include <bit>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "omvc/sink.hpp"

#include "file/atomic_file.hpp"
#include "sink/join.hpp"

namespace omvc {
namespace {

// What separates columns in a file of this name.
char separator_for(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  return extension == ".csv" ? ',' : extension == ".tsv" ? '\t' : ' ';
}

// The text as a field: in quotes where it could be mistaken.
std::string as_field(const std::string& text, char separator) {
  const bool plain = !text.empty() && text.front() != '#' && text.find_first_of("\"\r\n") == std::string::npos &&
                     text.find(separator) == std::string::npos && text.front() != ' ' && text.back() != ' ';
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

// Rows of bytes in one file, which the processes of a fit can write together.
class FileSink : public Sink {
 public:
  FileSink(const std::string& path, int rank) : file_(path, rank > 0) {}
  bool joins() const override { return true; }
  void join(Exchange& exchange) override { join_parts(file_, exchange); }
  void prepare() override { file_.sync(); }
  void finish() override {
    prepare();
    file_.commit();
  }

 protected:
  AtomicFile file_;
};

class LabelSink : public FileSink {
 public:
  LabelSink(const std::string& path, Source* source, int rank)
      : FileSink(path, rank), separator_(separator_for(path)), source_(separator_ == ' ' ? nullptr : source) {}
  void write(const ResultRows& rows) override {
    std::vector<std::string> ids;
    if (source_ != nullptr) ids = source_->ids(rows.first_row, static_cast<Index>(rows.labels.size()));
    const bool with_ids = !rows.labels.empty() && ids.size() == rows.labels.size();
    const bool table = separator_ != ' ';
    const bool sure = table && !rows.confidence.empty();
    if ((with_ids || sure) && rows.first_row == 0) {
      file_.write(fmt::format("{}label{}\n", with_ids ? fmt::format("id{}", separator_) : "",
                              sure ? fmt::format("{0}confidence{0}distance", separator_) : ""));
    }
    for (std::size_t i = 0; i < rows.labels.size(); ++i) {
      if (with_ids) file_.write(as_field(ids[i], separator_) + separator_);
      file_.write(fmt::format("{}", rows.labels[i]));
      if (sure) file_.write(fmt::format("{0}{1:.4f}{0}{2:.4f}", separator_, rows.confidence[i], rows.distance[i]));
      file_.write("\n");
    }
  }
  bool wants_embedding() const override { return false; }

 private:
  char separator_;
  Source* source_;
};

// Some numbers of each row: its embedding, or the chances of all clusters.
class NumbersSink : public FileSink {
 public:
  enum class What { embedding, membership };
  NumbersSink(const std::string& path, int rank, What what) : FileSink(path, rank), what_(what) {}
  bool wants_embedding() const override { return what_ == What::embedding; }
  bool wants_membership() const override { return what_ == What::membership; }

 protected:
  RowsView numbers(const ResultRows& rows) const { return what_ == What::embedding ? rows.embedding : rows.membership; }
  std::vector<std::string> names(const ResultRows& rows) const {
    std::vector<std::string> out;
    for (Index k = 0; k < numbers(rows).cols; ++k) {
      out.push_back(what_ == What::embedding ? fmt::format("e{}", k + 1)
                                             : fmt::format("cluster_{}", rows.clusters[static_cast<std::size_t>(k)]));
    }
    return out;
  }

 private:
  What what_;
};

class TextNumbersSink : public NumbersSink {
 public:
  TextNumbersSink(const std::string& path, char separator, Source* source, int rank, What what)
      : NumbersSink(path, rank, what), separator_(separator), source_(separator == ' ' ? nullptr : source) {}
  void write(const ResultRows& rows) override {
    const RowsView numbers = this->numbers(rows);
    std::vector<std::string> ids;
    if (source_ != nullptr) ids = source_->ids(rows.first_row, numbers.rows);
    const bool with_ids = !ids.empty() && static_cast<Index>(ids.size()) == numbers.rows;
    if (rows.first_row == 0 && separator_ != ' ') write_header(names(rows), with_ids);
    for (Index i = 0; i < numbers.rows; ++i) {
      const auto row = numbers.row(i);
      fmt::memory_buffer line;
      if (with_ids)
        fmt::format_to(std::back_inserter(line), "{}{}", as_field(ids[static_cast<std::size_t>(i)], separator_),
                       separator_);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (k > 0) line.push_back(separator_);
        fmt::format_to(std::back_inserter(line), "{}", row[k]);  // the shortest text that reads back to the same bits
      }
      line.push_back('\n');
      file_.write(line.data(), line.size());
    }
  }

 private:
  void write_header(std::vector<std::string> names, bool with_ids) {
    if (with_ids) names.insert(names.begin(), "id");
    file_.write(fmt::format("{}\n", fmt::join(names, std::string(1, separator_))));
  }

  char separator_;
  Source* source_;
};

// NPY 1.0. The header is written last, when the number of rows is known, into room left for it at the start.
class NpySink : public NumbersSink {
 public:
  NpySink(const std::string& path, int rank, What what) : NumbersSink(path, rank, what) {
    if (rank == 0) file_.write(std::string(kHeader, ' '));
  }
  void write(const ResultRows& rows) override {
    static_assert(std::endian::native == std::endian::little);
    const RowsView numbers = this->numbers(rows);
    cols_ = numbers.cols;
    rows_ += numbers.rows;
    file_.write(numbers.data, static_cast<std::size_t>(numbers.rows * cols_) * sizeof(double));
  }
  void join(Exchange& exchange) override {
    const std::uint64_t size = join_parts(file_, exchange);
    if (exchange.rank() == 0 && cols_ > 0) rows_ = static_cast<Index>((size - kHeader) / sizeof(double)) / cols_;
  }
  void prepare() override {
    if (std::exchange(prepared_, true)) return;
    std::string header("\x93NUMPY\x01\x00", 8);
    header += static_cast<char>(kHeader - 10);
    header += '\0';
    header += fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows_, cols_);
    header.resize(kHeader - 1, ' ');
    header += '\n';
    file_.write_at(0, header.data(), header.size());
    file_.sync();
  }

 private:
  static constexpr std::size_t kHeader = 128;  // a multiple of 64, as the format asks for
  Index rows_ = 0;
  Index cols_ = 0;
  bool prepared_ = false;
};

std::unique_ptr<Sink> make_numbers_sink(const std::string& path, Source* source, int rank, NumbersSink::What what) {
  if (std::filesystem::path(path).extension() == ".npy") return std::make_unique<NpySink>(path, rank, what);
  return std::make_unique<TextNumbersSink>(path, separator_for(path), source, rank, what);
}

class SinkList : public Sink {
 public:
  explicit SinkList(std::vector<std::unique_ptr<Sink>> sinks) : sinks_(std::move(sinks)) {}
  void write(const ResultRows& rows) override {
    for (const auto& sink : sinks_) sink->write(rows);
  }
  bool wants_embedding() const override {
    return std::any_of(sinks_.begin(), sinks_.end(), [](const auto& sink) { return sink->wants_embedding(); });
  }
  bool wants_membership() const override {
    return std::any_of(sinks_.begin(), sinks_.end(), [](const auto& sink) { return sink->wants_membership(); });
  }
  bool joins() const override {
    return std::all_of(sinks_.begin(), sinks_.end(), [](const auto& sink) { return sink->joins(); });
  }
  void join(Exchange& exchange) override {
    std::exception_ptr failure;  // of one of them; the other processes wait for the rest all the same
    for (const auto& sink : sinks_) {
      try {
        sink->join(exchange);
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }
  void prepare() override {
    for (const auto& sink : sinks_) sink->prepare();
  }
  void finish() override {
    prepare();
    for (const auto& sink : sinks_) sink->finish();
  }

 private:
  std::vector<std::unique_ptr<Sink>> sinks_;
};

}  // namespace

void MemorySink::write(const ResultRows& rows) {
  const auto place = [&](auto& to, const auto& from, std::size_t width) {
    if (from.empty()) return;
    to.resize(std::max(to.size(), static_cast<std::size_t>(rows.first_row) * width + from.size()));
    std::copy(from.begin(), from.end(), to.begin() + rows.first_row * static_cast<Index>(width));
  };
  place(found_.labels, rows.labels, 1);
  place(found_.confidence, rows.confidence, 1);
  place(found_.distance, rows.distance, 1);
  const auto place_rows = [&](std::vector<double>& to, const RowsView& from) {
    const auto width = static_cast<std::size_t>(from.cols);
    place(to, std::span<const double>{from.data, static_cast<std::size_t>(from.rows) * width}, width);
  };
  if (wanted_.embedding) place_rows(found_.embedding, rows.embedding);
  if (!wanted_.membership) return;
  place_rows(found_.membership, rows.membership);
  found_.clusters.assign(rows.clusters.begin(), rows.clusters.end());
}

std::unique_ptr<Sink> make_label_sink(const std::string& path, Source* source, int rank) {
  return std::make_unique<LabelSink>(path, source, rank);
}

std::unique_ptr<Sink> make_embedding_sink(const std::string& path, Source* source, int rank) {
  return make_numbers_sink(path, source, rank, NumbersSink::What::embedding);
}

std::unique_ptr<Sink> make_membership_sink(const std::string& path, Source* source, int rank) {
  return make_numbers_sink(path, source, rank, NumbersSink::What::membership);
}

std::unique_ptr<Sink> make_sink_list(std::vector<std::unique_ptr<Sink>> sinks) {
  return std::make_unique<SinkList>(std::move(sinks));
}

void write_presence(const std::string& path, const std::vector<bool>& present, Index views) {
  AtomicFile file(path);
  std::string line;
  for (std::size_t begin = 0; begin < present.size(); begin += static_cast<std::size_t>(views)) {
    line.clear();
    for (std::size_t v = 0; v < static_cast<std::size_t>(views); ++v) {
      if (v > 0) line += ' ';
      line += present[begin + v] ? '1' : '0';
    }
    file.write(line + '\n');
  }
  file.commit();
}

void check_writable(const std::string& path) { const AtomicFile probe(path); }

}  // namespace omvc
