#include "model/seen.hpp"

#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/rows.hpp"

namespace omvc {
namespace {

constexpr double kShareAside = 1.0 / 16;  // of the memory, for rows that are set aside

std::string new_features_of(std::size_t view) { return fmt::format("new_features/view{}", view); }

// Rows of the sample lie within what the survey has seen, which its scaling is made for.
void check_sample(const Block& block, const ViewSurvey& survey, const std::string& name) {
  std::visit(
      [&](const auto& X) {
        for (std::size_t e = 0; e < X.values.size(); ++e) {
          std::size_t j = e % static_cast<std::size_t>(X.cols);
          if constexpr (requires { X.offsets; }) j = static_cast<std::size_t>(X.columns[e]);
          const auto x = static_cast<double>(X.values[e]);
          if (!(x < survey.minimum[j] || x > survey.maximum[j])) continue;
          throw Error(ErrorKind::data,
                      fmt::format("the model's sample of view {} holds a value that it never saw", name));
        }
      },
      block);
}

}  // namespace

Seen::Seen(const Schema& schema, const Options& options)
    : schema_(schema),
      survey_(schema, wants_totals(options)),
      reservoir_(schema, reservoir_options(options)),
      room_aside_(options.memory * (1 << 20) * kShareAside) {}

double Seen::stands_for(Index rows) const {
  return (survey_.instances - survey_.unobserved) / static_cast<double>(rows);
}

void Seen::take(Look look, Compute& compute) {
  look.settle(compute);
  survey_ = look.survey.sum();
  reservoir_ = std::move(look.sample);
}

void Seen::add(const Chunk& rows, double clock, Compute& compute) {
  survey_.add(rows, compute);
  reservoir_.offer(rows, clock, compute);
}

std::vector<StrangeRow> Seen::set_aside(const Chunk& chunk, const Ranges& ranges, double clock,
                                        std::vector<bool>& keep) {
  const std::vector<Ranges::Outside> outside = ranges.outside(chunk);
  std::vector<StrangeRow> strange;
  std::vector<Index> out;
  for (std::size_t i = 0; i < outside.size(); ++i) {
    keep.push_back(!(outside[i].reach > 1));
    if (keep.back()) continue;
    out.push_back(static_cast<Index>(i));
    strange.push_back({.row = chunk.rows[i], .outside = outside[i]});
  }
  if (!out.empty()) aside_.add(take_instances(chunk, out), clock, room_aside_);
  return strange;
}

// The survey knows the strange rows already, and is made again from those that stay.
std::vector<StrangeRow> Seen::set_first_aside(const std::vector<bool>& compressed, double clock, Compute& compute) {
  const Ranges ranges(reservoir_.chunks(), schema_, compressed);
  std::vector<StrangeRow> strange;
  std::vector<bool> keep;
  for (const Chunk& chunk : reservoir_.chunks()) {
    const std::vector<StrangeRow> found = set_aside(chunk, ranges, clock, keep);
    strange.insert(strange.end(), found.begin(), found.end());
  }
  if (strange.empty()) return strange;
  const double each = stands_for(reservoir_.size());
  reservoir_.keep(keep, compute);
  Survey fresh(schema_, survey_.totals);
  for (const Chunk& chunk : reservoir_.chunks()) fresh.add(chunk, compute);
  if (each != 1) fresh.decay(each);
  fresh.instances += survey_.unobserved;
  fresh.unobserved = survey_.unobserved;
  survey_ = std::move(fresh);
  return strange;
}

Chunk Seen::release(const Ranges& ranges, double clock, const Recipe& recipe) {
  return aside_.release(ranges, clock, recipe, schema_);
}

void Seen::widen(const Schema& wider) {
  schema_ = wider;
  survey_.widen(schema_);
  reservoir_.widen(schema_);
  aside_.widen(schema_);
}

void Seen::add_features(const std::vector<std::vector<std::string>>& names) {
  Schema wider = schema_;
  for (std::size_t v = 0; v < names.size(); ++v) {
    ViewSchema& view = wider.views[v];
    view.feature_names.insert(view.feature_names.end(), names[v].begin(), names[v].end());
    view.features += static_cast<Index>(names[v].size());
  }
  widen(wider);
}

void Seen::narrow(const Schema& known) {
  schema_ = known;
  survey_.narrow(schema_);
  reservoir_.narrow_to(schema_);
  aside_.narrow(schema_);
}

void Seen::save(Archive& archive, const Schema& known) const {
  put_survey(archive, "survey", survey_);
  reservoir_.save(archive, "reservoir");
  aside_.save(archive, "set_aside");
  for (std::size_t v = 0; v < schema_.views.size(); ++v) {
    const std::vector<std::string>& names = schema_.views[v].feature_names;
    const Index old = known.views[v].features;
    if (schema_.views[v].features > old) {
      archive.put(new_features_of(v), std::vector<std::string>(names.begin() + old, names.end()));
    }
  }
}

Seen Seen::load(const Archive& archive, const Options& options, const Schema& known) {
  Schema schema = known;
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    if (!archive.has(new_features_of(v))) continue;
    ViewSchema& view = schema.views[v];
    const std::vector<std::string> names = archive.lines(new_features_of(v));
    if (view.feature_names.empty()) throw Error(ErrorKind::data, "new features of a view whose features have no names");
    view.feature_names.insert(view.feature_names.end(), names.begin(), names.end());
    view.features = static_cast<Index>(view.feature_names.size());
  }
  Seen out(schema, options);
  out.survey_ = get_survey(archive, "survey", schema);
  out.survey_.totals = wants_totals(options);
  out.aside_ = SetAside::load(archive, "set_aside", schema);
  out.reservoir_ = Reservoir::load(archive, "reservoir", schema, reservoir_options(options));
  for (const Chunk& rows : out.reservoir_.chunks()) {
    for (std::size_t v = 0; v < schema.views.size(); ++v) {
      check_sample(rows.views[v].block, out.survey_.views[v], schema.views[v].name);
    }
  }
  return out;
}

}  // namespace omvc
