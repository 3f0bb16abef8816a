// The part of the data that a process of several has, and what comes together of all parts in the first one.
#include <cstring>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "run/fit.hpp"

namespace omvc {
namespace {

constexpr Index kCompared = 256;  // instances from which processes see that they have the same data

Index count_instances(Source& source) {
  if (const std::optional<Index> known = source.size()) return *known;
  constexpr Index kAtOnce = 4096;
  Index instances = 0;
  while (const std::optional<Chunk> chunk = source.next(kAtOnce)) instances += chunk->size();
  source.rewind();
  return instances;
}

// Rows that have no place in the sample of all need not travel. What travels here is bounded by the sample, however
// many processes there are.
void leave_out(Reservoir& sample, const ReservoirOptions& options, Together& together, Compute& compute) {
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
  sample.keep_below(from_bytes(together.broadcast(to_bytes(all))), compute);
}

// The sample of all, in the first process: rows go straight to it, where they are unpacked on all cores beside it.
void gather_sample(Reservoir& sample, const Setting& setting, Together& together, Compute& compute) {
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
    Compute all(together.threads_of_all(compute.threads()), compute);
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

// Of several processes each has the data, and reads its own part of them.
void Fit::take_part() {
  if (together_.alone()) return;
  Index instances = 0;
  std::uint64_t beginning = 0;
  together_.agree([&] {
    if (!again_) {
      throw Error(ErrorKind::usage,
                  "several processes learn from data that can be read again, without a half-life: write the stream to "
                  "a file first, or start one process");
    }
    instances = count_instances(*source_);
    if (const std::optional<Chunk> first = source_->next(kCompared)) {
      beginning = fingerprint(*first) + order_hash(0, *first);
    }
    source_->rewind();
  });
  const std::vector<std::string> all = together_.gather(fmt::format(
      "{} instances that begin with {:x}\n{}", instances, beginning, common_ground(setting_.options, setting_.schema)));
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw Error(ErrorKind::usage, fmt::format("rank {} has other data or options than rank 0: start every process with "
                                              "the same command and the same files",
                                              rank));
  }
  rows_ = part_of(instances, together_.rank(), together_.size());
  part_ = make_range_source(*source_, rows_.first, rows_.count);
  source_ = part_.get();
  expected_ = rows_.count;
  // One process writes; the others take part.
  if (!together_.first()) keep_ = {};
}

Look Fit::look_first() {
  const Timed timed(profile_, Step::first_look);
  Look out(setting_.options, setting_.schema, rows_.first);
  together_.agree(
      [&] { out = look(*source_, {.first = rows_.first, .whole = together_.alone()}, setting_, observer_, compute_); });
  if (!together_.alone()) merge_looks(out);
  return out;
}

// The looks of all processes come together in the first one: what was surveyed adds up on its way through a tree.
void Fit::merge_looks(Look& look) {
  const ReservoirOptions options = reservoir_options(setting_.options);
  leave_out(look.sample, options, together_, compute_);
  Reservoir sample = std::exchange(look.sample, Reservoir(setting_.schema, options));
  gather_sample(sample, setting_, together_, compute_);
  together_.reduce(
      [&](const std::string& bytes) {
        const Archive other = Archive::from_bytes(bytes, "the look of another process");
        look.merge(Look::load(other, setting_.options, setting_.schema), compute_);
      },
      [&] {
        Archive mine;
        look.save(mine);
        return mine.to_bytes();
      });
  look.sample = std::move(sample);
}

// Makes the model, on the cores of all processes beside this one, which wait for it.
void Fit::make_model() {
  const Timed timed(profile_, Step::learning);
  const StopWatch watch;
  try {
    if (const int threads = together_.threads_of_all(compute_.threads()); threads > compute_.threads()) {
      Compute all(threads, compute_);
      all.set_poll([this] { compute_.poll(); });
      make(*fit_, all);
      profile_.count_products(all.profile().take_products());
    } else {
      make(*fit_, compute_);
    }
  } catch (const Error& error) {
    // Data from which no prototypes can be made are no better when the run is resumed.
    if (!keep_.file.empty() && error.kind() == ErrorKind::data) remove_checkpoint(keep_.file);
    throw;
  }
  if (fit_->passes > 0) return take_products();  // which a checkpoint keeps as those of the first pass
  report_.passes.back().seconds = watch.seconds();
  report_.passes.back().products = profile_.take_products();
}

// What the processes counted in a pass, added up in the first one.
void Fit::add_counts() {
  if (together_.alone()) return;
  const auto from_bytes = [&](const std::string& bytes) {
    return Counts::get(Archive::from_bytes(bytes, "what another process counted"), setting_.schema,
                       model().placing().size());
  };
  together_.reduce([&](const std::string& bytes) { counts_->merge(from_bytes(bytes)); },
                   [&] {
                     Archive archive;
                     counts_->put(archive);
                     return archive.to_bytes();
                   });
  position_.progress = counts_->progress;
}

// Takes over what the first process has made and decided.
void Fit::follow_first() {
  if (together_.alone()) return;
  Archive archive;
  if (together_.first()) fit_->put(archive, false);
  const std::string bytes = together_.broadcast(together_.first() ? archive.to_bytes() : "");
  together_.agree([&] {
    if (!together_.first()) fit_->get(Archive::from_bytes(bytes, "the model of the first process"));
  });
}

// What the labels of all processes add up to, in the first one; and what their sinks hold.
void Fit::join_results(LabelCounts& counts) {
  together_.agree([&] { sink_.join(together_.exchange()); });
  const std::size_t views = setting_.schema.views.size();
  together_.reduce(
      [&](const std::string& bytes) {
        counts.merge(LabelCounts::get(Archive::from_bytes(bytes, "what another process labelled"), views));
      },
      [&] {
        Archive archive;
        counts.put(archive);
        return archive.to_bytes();
      });
}

}  // namespace omvc
