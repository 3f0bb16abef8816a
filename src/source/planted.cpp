#include "omvc/planted.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <utility>

#include "omvc/error.hpp"

#include "random/philox.hpp"

namespace omvc {
namespace {

// Streams of Purpose::planted_data below this number belong to instances, those from it on to views.
constexpr std::uint32_t kFirstViewStream = 2;
constexpr std::uint32_t kLabelStream = 0;
constexpr std::uint32_t kAmplitudeStream = 1;

std::uint64_t number(Index n) { return static_cast<std::uint64_t>(n); }

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::usage, "planted data: " + message); }

void check_options(const PlantedOptions& options) {
  if (options.instances < 0) refuse(fmt::format("instances is {}, but cannot be negative", options.instances));
  if (options.features.empty()) refuse("features is empty, but at least one view is needed");
  for (std::size_t v = 0; v < options.features.size(); ++v) {
    if (options.features[v] < 1 || options.features[v] > std::numeric_limits<std::int32_t>::max()) {
      refuse(fmt::format("features of view {} is {}, but must be in 1 .. {}", v + 1, options.features[v],
                         std::numeric_limits<std::int32_t>::max()));
    }
  }
  if (!options.density.empty() && options.density.size() != options.features.size()) {
    refuse(fmt::format("density has {} values for {} views: give one a view, or none where all are dense",
                       options.density.size(), options.features.size()));
  }
  for (const double density : options.density) {
    if (!(density > 0 && density <= 1)) {
      refuse(fmt::format("density is {}, but must be greater than 0 and at most 1", density));
    }
  }
  if (options.clusters < 1) refuse(fmt::format("clusters is {}, but must be at least 1", options.clusters));
  if (!(options.missing >= 0 && options.missing < 1)) {
    refuse(fmt::format("missing is {}, but must be at least 0 and less than 1", options.missing));
  }
  // Larger values would leave the range of single precision.
  constexpr double kLargest = 1e30;
  if (!(options.separation > 0 && options.separation <= kLargest)) {
    refuse(fmt::format("separation is {}, but must be greater than 0 and at most {}", options.separation, kLargest));
  }
  if (!(options.noise >= 0 && options.noise <= kLargest)) {
    refuse(fmt::format("noise is {}, but must be at least 0 and at most {}", options.noise, kLargest));
  }
}

// What a view knows beside the random numbers of its rows.
struct Plan {
  Index features = 0;
  double density = 1;
  std::vector<std::vector<std::int32_t>> strong;  // of each cluster, ascending
  std::vector<float> prototypes;                  // dense views: clusters x features
};

Plan make_plan(const PlantedOptions& options, std::size_t view) {
  Plan plan;
  plan.features = options.features[view];
  plan.density = options.density.empty() ? 1 : options.density[view];
  const Random random(options.seed, Purpose::planted_basis, static_cast<std::uint32_t>(view));
  std::vector<std::int32_t> order(size(plan.features));
  std::iota(order.begin(), order.end(), 0);
  std::uint64_t counter = 0;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i, counter++)]);

  const Index width = std::max<Index>(1, plan.features / options.clusters);
  for (Index cluster = 0; cluster < options.clusters; ++cluster) {
    std::vector<std::int32_t>& strong = plan.strong.emplace_back();
    for (Index i = 0; i < width; ++i) strong.push_back(order[size((cluster * width + i) % plan.features)]);
    std::sort(strong.begin(), strong.end());
  }
  if (plan.density < 1) return plan;

  std::vector<double> common(size(plan.features));
  for (double& value : common) value = 0.2 * random.uniform(counter++);
  for (const std::vector<std::int32_t>& strong : plan.strong) {
    const std::size_t first = plan.prototypes.size();
    for (const double value : common) plan.prototypes.push_back(static_cast<float>(value));
    for (const std::int32_t feature : strong) {
      const double strength = options.separation * (0.5 + random.uniform(counter++));
      plan.prototypes[first + size(feature)] = static_cast<float>(common[size(feature)] + strength);
    }
  }
  return plan;
}

Schema make_schema(const PlantedOptions& options) {
  Schema schema;
  for (std::size_t v = 0; v < options.features.size(); ++v) {
    ViewSchema& view = schema.views.emplace_back();
    view.name = fmt::format("view{}", v + 1);
    view.features = options.features[v];
    view.feature_names.reserve(size(view.features));
    for (Index j = 1; j <= view.features; ++j) view.feature_names.push_back(fmt::format("f{}", j));
  }
  return schema;
}

bool observed(const PlantedOptions& options, Index row, std::size_t view) {
  const std::size_t views = options.features.size();
  const auto drawn = [&](std::size_t v) {
    return Random(options.seed, Purpose::planted_mask, static_cast<std::uint32_t>(v)).uniform(number(row)) >=
           options.missing;
  };
  if (drawn(view)) return true;
  if (!options.keep_one_view) return false;
  const Random rescue(options.seed, Purpose::planted_mask, static_cast<std::uint32_t>(views));
  if (rescue.below(views, number(row)) != view) return false;
  for (std::size_t v = 0; v < views; ++v) {
    if (drawn(v)) return false;
  }
  return true;
}

class PlantedSource final : public Source {
 public:
  explicit PlantedSource(const PlantedOptions& options) : options_(options), schema_(make_schema(options)) {
    for (std::size_t v = 0; v < options.features.size(); ++v) plans_.push_back(make_plan(options, v));
  }

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return options_.instances; }

  bool rewind() override {
    next_ = 0;
    return true;
  }

  std::optional<Chunk> next(Index max_rows) override {
    if (max_rows < 1) refuse(fmt::format("a chunk of {} rows was asked for, but it must have at least 1", max_rows));
    const Index count = std::min(max_rows, options_.instances - next_);
    if (count == 0) return std::nullopt;
    Chunk chunk;
    chunk.rows.resize(static_cast<std::size_t>(count));
    std::iota(chunk.rows.begin(), chunk.rows.end(), next_);
    for (std::size_t v = 0; v < plans_.size(); ++v) {
      ChunkView view;
      for (Index i = 0; i < count; ++i) {
        if (observed(options_, next_ + i, v)) view.present.push_back(i);
      }
      if (plans_[v].density < 1) {
        view.block = sparse_block(v, view.present);
      } else {
        view.block = dense_block(v, view.present);
      }
      chunk.views.push_back(std::move(view));
    }
    next_ += count;
    return chunk;
  }

 private:
  double amplitude(Index row) const {
    return 0.5 + Random(options_.seed, Purpose::planted_data, kAmplitudeStream).uniform(number(row));
  }

  Random numbers_of(std::size_t view) const {
    return {options_.seed, Purpose::planted_data, kFirstViewStream + static_cast<std::uint32_t>(view)};
  }

  Block dense_block(std::size_t view, const std::vector<Index>& present) const {
    const Plan& plan = plans_[view];
    DenseBlock<float> block;
    block.rows = static_cast<Index>(present.size());
    block.cols = plan.features;
    block.values.resize(present.size() * static_cast<std::size_t>(plan.features));
    float* out = block.values.data();
    for (const Index position : present) {
      fill_dense(plan, numbers_of(view), next_ + position, out);
      out += plan.features;
    }
    return block;
  }

  void fill_dense(const Plan& plan, const Random& random, Index row, float* out) const {
    const float* prototype = plan.prototypes.data() + planted_label(options_, row) * plan.features;
    const auto scale = static_cast<float>(amplitude(row));
    const auto noise = static_cast<float>(options_.noise * 0x1.0p-32);
    // One number of 64 bits is the noise of two features.
    const std::uint64_t first = number(row) * number((plan.features + 1) / 2);
    for (Index j = 0; j < plan.features; j += 2) {
      const std::uint64_t bits = random.bits(first + number(j / 2));
      out[j] = scale * prototype[j] + noise * static_cast<float>(bits >> 32);
      if (j + 1 == plan.features) break;
      out[j + 1] = scale * prototype[j + 1] + noise * static_cast<float>(bits & 0xFFFFFFFFu);
    }
  }

  Block sparse_block(std::size_t view, const std::vector<Index>& present) const {
    const Plan& plan = plans_[view];
    CsrBlock<float> block;
    block.rows = static_cast<Index>(present.size());
    block.cols = plan.features;
    for (const Index position : present) append_sparse(plan, numbers_of(view), next_ + position, block);
    return block;
  }

  // Both sets of entries are drawn one from each of equally long stretches of features: distinct, ascending, and in
  // time that depends on the entries only.
  void append_sparse(const Plan& plan, const Random& random, Index row, CsrBlock<float>& block) const {
    const std::vector<std::int32_t>& strong = plan.strong[static_cast<std::size_t>(planted_label(options_, row))];
    const double mean = plan.density * static_cast<double>(plan.features);
    // Room for the count, and for a place and a weight of each entry.
    std::uint64_t counter = number(row) * number(2 * static_cast<Index>(std::ceil(mean)) + 3);
    const Index entries = std::max<Index>(1, static_cast<Index>(mean + random.uniform(counter++)));
    const double share = options_.separation / (options_.separation + options_.noise);
    const Index own = std::min(static_cast<Index>(std::llround(share * static_cast<double>(entries))),
                               static_cast<Index>(strong.size()));
    std::vector<std::int32_t> columns;
    const auto draw = [&](Index count, Index from, const auto& feature) {
      for (Index i = 0; i < count; ++i) {
        const Index first = i * from / count;
        const Index last = (i + 1) * from / count;
        columns.push_back(feature(first + static_cast<Index>(random.below(number(last - first), counter++))));
      }
    };
    draw(own, static_cast<Index>(strong.size()), [&](Index i) { return strong[static_cast<std::size_t>(i)]; });
    draw(entries - own, plan.features, [](Index i) { return static_cast<std::int32_t>(i); });
    std::inplace_merge(columns.begin(), columns.begin() + own, columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const double scale = amplitude(row);
    for (const std::int32_t column : columns) {
      block.columns.push_back(column);
      block.values.push_back(static_cast<float>(scale * (0.5 + random.uniform(counter++))));
    }
    block.offsets.push_back(block.nonzeros());
  }

  PlantedOptions options_;
  Schema schema_;
  std::vector<Plan> plans_;
  Index next_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_planted_source(const PlantedOptions& options) {
  check_options(options);
  return std::make_unique<PlantedSource>(options);
}

PlantedOptions planted_shape(std::string_view name) {
  PlantedOptions shape;
  shape.missing = 0.4;
  if (name == "reuters") {
    constexpr double kEntries = 100;  // a row and view
    shape.instances = 111740;
    shape.features = {21531, 24893, 34279, 15506, 11547};
    for (const Index features : shape.features) shape.density.push_back(kEntries / static_cast<double>(features));
    shape.clusters = 6;
  } else if (name == "youtube") {
    shape.instances = 92457;
    shape.features = {512, 2000, 1000};
    shape.clusters = 31;
  } else if (name == "digit") {
    shape.instances = 2000;
    shape.features = {76, 216, 64, 240, 47};
    shape.clusters = 10;
  } else {
    refuse(fmt::format("there is no shape '{}'; choose reuters, youtube or digit", name));
  }
  return shape;
}

int planted_label(const PlantedOptions& options, Index row) {
  if (options.clusters < 1) refuse(fmt::format("clusters is {}, but must be at least 1", options.clusters));
  const Random random(options.seed, Purpose::planted_data, kLabelStream);
  return static_cast<int>(random.below(static_cast<std::uint64_t>(options.clusters), number(row)));
}

}  // namespace omvc
