#include "pass/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "omvc/error.hpp"

namespace omvc {
namespace {

constexpr Index kVersion = 3;

[[noreturn]] void fail() { throw Error(ErrorKind::data, "the entries of the checkpoint contradict each other"); }

constexpr Index kMostInstances = Index{1} << 53;
constexpr Index kMostPasses = 1'000'000;

bool is_count(Index number) { return number >= 0 && number <= kMostInstances; }

// A count that is kept among other numbers.
Index count_from(double number, Index most = kMostInstances) {
  if (!(number >= 0 && number <= static_cast<double>(most))) fail();
  return static_cast<Index>(number);
}

void put_products(Archive& archive, const std::string& key, const std::vector<ProductCount>& products) {
  std::vector<Index> numbers;
  for (const ProductCount& count : products) {
    numbers.insert(numbers.end(), {count.columns, count.times, count.transpose_times});
  }
  archive.put(key, std::move(numbers));
}

std::vector<ProductCount> get_products(const Archive& archive, const std::string& key) {
  const std::vector<Index>& numbers = archive.integers(key);
  std::vector<ProductCount> products;
  if (numbers.size() % 3 != 0 || !std::all_of(numbers.begin(), numbers.end(), is_count)) fail();
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    const Index least = products.empty() ? 1 : products.back().columns + Index{1};
    if (numbers[i] < least || numbers[i] > std::numeric_limits<int>::max()) fail();
    products.push_back({static_cast<int>(numbers[i]), numbers[i + 1], numbers[i + 2]});
  }
  return products;
}

// None where nobody has taken the time.
std::vector<double> get_step_seconds(const Archive& archive) {
  const std::vector<double>& seconds = archive.numbers("checkpoint/profile");
  if (seconds.empty()) return std::vector<double>(kSteps, 0.0);
  if (!std::all_of(seconds.begin(), seconds.end(), [](double s) { return s >= 0 && std::isfinite(s); })) fail();
  if (seconds.size() != kSteps) fail();
  return seconds;
}

void put_pass(Archive& archive, const FitPosition& position) {
  archive.put("checkpoint/position", std::vector<Index>{position.pass, position.labelling, position.progress.chunks,
                                                        position.progress.instances, position.report.rounds});
  archive.put("checkpoint/times",
              std::vector<double>{position.seconds, position.report.seconds, position.report.waited});
  archive.put("checkpoint/loss", position.report.loss);
  archive.put("checkpoint/curve", position.curve.state());
  put_products(archive, "checkpoint/products", position.report.products);
}

FitPosition get_pass(const Archive& archive) {
  const std::vector<Index>& place = archive.integers("checkpoint/position");
  const Vector times = archive.vector("checkpoint/times", 3);
  FitPosition out;
  if (place.size() != 5 || place[0] < 1 || place[0] > kMostPasses || place[2] < 0 || !is_count(place[3]) ||
      !is_count(place[4]) || !out.curve.restore(archive.numbers("checkpoint/curve"))) {
    fail();
  }
  out.pass = static_cast<int>(place[0]);
  out.labelling = place[1] != 0;
  out.progress.chunks = place[2];
  out.progress.instances = place[3];
  out.report.pass = out.pass;
  out.report.instances = place[3];
  out.report.rounds = place[4];
  out.seconds = times(0);
  out.report.seconds = times(1);
  out.report.waited = times(2);
  out.report.loss = archive.number("checkpoint/loss");
  out.report.products = get_products(archive, "checkpoint/products");
  return out;
}

void put_reports(Archive& archive, const std::vector<PassReport>& passes) {
  Matrix table(static_cast<Index>(passes.size()), 7);
  std::vector<Index> chunks;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const PassReport& pass = passes[i];
    table.row(static_cast<Index>(i)) << pass.pass, static_cast<double>(pass.instances), pass.loss, pass.error,
        pass.seconds, pass.waited, static_cast<double>(pass.rounds);
    archive.put(fmt::format("checkpoint/curve{}", i), pass.loss_curve);
    put_products(archive, fmt::format("checkpoint/products{}", i), pass.products);
    chunks.push_back(pass.chunks);
  }
  archive.put("checkpoint/chunks", std::move(chunks));
  archive.put("checkpoint/reports", table);
}

std::vector<PassReport> get_reports(const Archive& archive) {
  const Matrix table = archive.matrix("checkpoint/reports");
  if (table.cols() != 7) fail();
  const std::vector<Index>& chunks = archive.integers("checkpoint/chunks");
  if (static_cast<Index>(chunks.size()) != table.rows() || !std::all_of(chunks.begin(), chunks.end(), is_count)) fail();
  std::vector<PassReport> passes;
  for (Index i = 0; i < table.rows(); ++i) {
    passes.push_back({.pass = static_cast<int>(count_from(table(i, 0), kMostPasses)),
                      .instances = count_from(table(i, 1)),
                      .chunks = chunks[static_cast<std::size_t>(i)],
                      .loss = table(i, 2),
                      .error = table(i, 3),
                      .seconds = table(i, 4),
                      .waited = table(i, 5),
                      .rounds = count_from(table(i, 6)),
                      .loss_curve = archive.numbers(fmt::format("checkpoint/curve{}", i)),
                      .products = get_products(archive, fmt::format("checkpoint/products{}", i))});
  }
  return passes;
}

// A resumed run has to be the same run.
void check_same_options(const Archive& archive, const Options& options) {
  const Options defaults;
  for_each_param([&](const auto& param) {
    if (!decides_result(param.name)) return;
    const std::string key = fmt::format("option/{}", param.name);
    const bool silent = !is_told(defaults, param.name);  // told only where it is not the default
    if (!archive.has(key) && !silent) return;
    const std::string then = archive.has(key) ? archive.text(key) : format_option(defaults, param.name);
    const std::string now = format_option(options, param.name);
    if (then == now) return;
    throw Error(ErrorKind::usage,
                fmt::format("the checkpoint was made with {} = {}, and now it is {}: resume with the same options, or "
                            "start again without --resume",
                            param.name, then, now));
  });
}

}  // namespace

void put_fit_state(Archive& archive, const Setting& setting, const FitState& state) {
  archive.put("checkpoint/version", std::vector<Index>{kVersion});
  setting.put(archive);
  put_pass(archive, state.position);
  put_reports(archive, state.report.passes);
  archive.put("checkpoint/fingerprint", std::vector<Index>{std::bit_cast<Index>(state.position.progress.fingerprint),
                                                           std::bit_cast<Index>(state.fingerprint),
                                                           std::bit_cast<Index>(state.position.progress.order),
                                                           std::bit_cast<Index>(state.order)});
  archive.put("checkpoint/counts",
              std::vector<Index>{state.counts.instances, state.counts.observed, state.report.instances,
                                 state.report.unobserved, state.report.chunk});
  archive.put("checkpoint/squares", state.counts.squares);
  archive.put("checkpoint/present", state.counts.present);
  archive.put("checkpoint/missing", state.counts.missing);
  archive.put("checkpoint/profile", state.step_seconds);
}

void get_fit_state(const Archive& archive, Setting& setting, FitState& state) {
  if (!archive.has("checkpoint/version")) {
    throw Error(ErrorKind::data, "it is not a checkpoint; name the file that --checkpoint wrote");
  }
  const std::vector<Index>& version = archive.integers("checkpoint/version");
  if (version != std::vector<Index>{kVersion}) {
    throw Error(ErrorKind::data,
                "it was written by another version of this program, whose runs cannot be gone on with: "
                "start again without --resume");
  }
  check_same_options(archive, setting.options);
  const Schema data = setting.schema;
  setting.get(archive);
  if (setting.schema != data) {
    throw Error(ErrorKind::data, "it was made with other data: their views or features are not these");
  }
  state.position = get_pass(archive);
  state.report.passes = get_reports(archive);
  state.step_seconds = get_step_seconds(archive);
  const std::vector<Index>& print = archive.integers("checkpoint/fingerprint");
  const std::vector<Index>& counts = archive.integers("checkpoint/counts");
  state.counts.squares = archive.numbers("checkpoint/squares", kNonnegative);
  state.counts.present = archive.integers("checkpoint/present");
  state.counts.missing = archive.integers("checkpoint/missing");
  if (print.size() != 4 || counts.size() != 5 || !std::all_of(counts.begin(), counts.end(), is_count) ||
      counts[4] < 1 || state.counts.squares.size() != data.views.size() ||
      state.counts.present.size() != data.views.size() || state.counts.missing.size() != data.views.size() ||
      !std::all_of(state.counts.present.begin(), state.counts.present.end(), is_count) ||
      !std::all_of(state.counts.missing.begin(), state.counts.missing.end(), is_count)) {
    fail();
  }
  state.position.progress.fingerprint = std::bit_cast<std::uint64_t>(print[0]);
  state.fingerprint = std::bit_cast<std::uint64_t>(print[1]);
  state.position.progress.order = std::bit_cast<std::uint64_t>(print[2]);
  state.order = std::bit_cast<std::uint64_t>(print[3]);
  state.counts.instances = counts[0];
  state.counts.observed = counts[1];
  state.report.instances = counts[2];
  state.report.unobserved = counts[3];
  state.report.chunk = counts[4];
  state.report.clusters = setting.options.clusters;
  if (!state.report.passes.empty()) state.report.loss = state.report.passes.back().loss;
}

void check_same_data(const FitState& state, const Progress& found) {
  const Index expected = state.report.instances;
  if (found.fingerprint == state.fingerprint && found.order == state.order && found.instances == expected) return;
  throw Error(ErrorKind::data,
              fmt::format("the data changed while they were read: pass {} found {} instances, the first look {}, and "
                          "not the same ones; work on a copy that nobody writes to",
                          state.position.pass, found.instances, expected));
}

std::optional<CheckpointSummary> read_checkpoint(const std::string& file) {
  const Archive archive = Archive::load(file);
  if (!archive.has("checkpoint/version")) return std::nullopt;
  Setting setting;
  setting.options.clusters = 2;
  setting.get(archive);
  const FitPosition position = get_pass(archive);
  const std::vector<Index>& counts = archive.integers("checkpoint/counts");
  if (counts.size() != 5) fail();
  return CheckpointSummary{.options = setting.options,
                           .schema = setting.schema,
                           .instances = counts[2],
                           .pass = position.pass,
                           .labelling = position.labelling,
                           .chunks = position.progress.chunks,
                           .pass_instances = position.progress.instances,
                           .seconds = position.seconds,
                           .passes = get_reports(archive)};
}

bool CheckpointClock::due() {
  ++chunks_;
  if (wanted_.file.empty()) return false;
  if (wanted_.chunks > 0 && chunks_ >= wanted_.chunks) return true;
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - last_).count();
  return wanted_.seconds > 0 && passed >= std::max(wanted_.seconds, least_);
}

void CheckpointClock::written(double seconds) {
  constexpr double kShare = 20;
  chunks_ = 0;
  last_ = std::chrono::steady_clock::now();
  least_ = kShare * seconds;
}

}  // namespace omvc
