// The first look at the data, by one process or by several, of which each looks at its part.
#include <cstring>

#include "omvc/error.hpp"

#include "run/first_look.hpp"
#include "run/fit_run.hpp"
#include "run/living_steps.hpp"

namespace omvc {
namespace {

// Rows that have no place in the sample of all need not travel. What travels here is bounded by the sample, however
// many processes there are.
void leave_out(Reservoir& sample, const ReservoirOptions& options, Together& together, Workers& workers) {
  using Ranking = Reservoir::Ranking;
  const auto to_bytes = [](const Ranking& ranking) {
    return std::string(reinterpret_cast<const char*>(ranking.data()), ranking.size() * sizeof ranking[0]);
  };
  const auto from_bytes = [](const std::string& bytes) {
    Ranking ranking(bytes.size() / sizeof(Ranking::value_type));
    if (!ranking.empty()) std::memcpy(static_cast<void*>(ranking.data()), bytes.data(), bytes.size());
    return ranking;
  };
  Ranking all = Reservoir::cut(sample.ranking(), options);
  together.reduce(
      [&](const std::string& bytes) {
        const Ranking other = from_bytes(bytes);
        all.insert(all.end(), other.begin(), other.end());
        all = Reservoir::cut(std::move(all), options);
      },
      [&] { return to_bytes(all); });
  sample.keep_below(from_bytes(together.broadcast(to_bytes(all))), workers);
}

// The sample of all, in the first process: rows go straight to it, where they are unpacked on all cores beside it.
void gather_sample(Reservoir& sample, const Setting& setting, Together& together, Workers& workers) {
  std::string mine;
  together.agree([&] {
    if (together.first()) return;
    Archive archive;
    sample.save(archive, "sample");
    mine = archive.to_bytes();
  });
  const std::vector<std::string> others = together.gather_at_first(mine);
  together.agree([&] {
    if (others.empty()) return;
    Workers all(together.threads_of_all(workers.threads()));
    std::vector<Reservoir> samples(others.size());
    for_blocks(all, static_cast<Index>(others.size()), 1, true, [&](Index i, Index) {
      const auto at = static_cast<std::size_t>(i);
      samples[at] = Reservoir::load(Archive::from_bytes(others[at], "the sample of another process"), "sample",
                                    setting.schema, reservoir_options(setting.options));
    });
    for (const Reservoir& other : samples) sample.merge(other, all);
  });
}

}  // namespace

// The looks of all processes come together in the first one: what was surveyed adds up on its way through a tree.
void FitRun::merge_looks(Look& look) {
  const ReservoirOptions options = reservoir_options(setting_.options);
  leave_out(look.sample, options, together_, workers_);
  Reservoir sample = std::exchange(look.sample, Reservoir(setting_.schema, options));
  gather_sample(sample, setting_, together_, workers_);
  together_.reduce(
      [&](const std::string& bytes) {
        const Archive other = Archive::from_bytes(bytes, "the look of another process");
        look.merge(Look::load(other, setting_.options, setting_.schema), workers_);
      },
      [&] {
        Archive mine;
        look.save(mine);
        return mine.to_bytes();
      });
  look.sample = std::move(sample);
}

// Looks at the data, or a part of them, for the scaling, a sample, and to find bad data early.
void FitRun::look_first() {
  const Timed timed(profile_, Step::first_look);
  FirstLook all{.survey = Survey(setting_.schema)};
  if (model_) {
    Look look(setting_.options, setting_.schema, rows_.first);
    together_.agree([&] { look_at(*source_, look, observer_, workers_); });
    if (!together_.alone()) merge_looks(look);
    all.fingerprint = look.fingerprint;
    all.order = look.order;
    all.instances = look.instances;
    model_->take(std::move(look), workers_);
    all.survey = model_->survey();
  } else {
    all = look_at(*source_, observer_, workers_);
    for (std::size_t v = 0; v < setting_.scaling.size(); ++v) {
      setting_.scaling[v] = scaling_of(v, all.survey.views[v]);
    }
  }
  together_.agree([&] {
    if (together_.first()) check_survey(all.survey, setting_.schema, setting_.options);
  });
  bytes_ = bytes_of(all.survey);
  note_look(all, setting_, state_);
}

}  // namespace omvc
