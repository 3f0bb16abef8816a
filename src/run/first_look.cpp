#include "run/first_look.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "omvc/error.hpp"

#include "chunk/fingerprint.hpp"
#include "source/ahead/chunk_stream.hpp"

namespace omvc {
namespace {

constexpr Index kSurveyRows = 256;  // instances read at a time

// Calls use(chunks, fingerprint, workers) for all chunks of the source, as many at once as are ready. Reading is a
// third of the work. Where many threads share the rest and wait for each other, there are no more of them than are
// left: one that has to give way to a reader would keep all others waiting.
template <class F>
void for_chunks(Source& source, Observer& observer, Workers& all, const F& use) {
  constexpr int kMany = 8;
  const Schema schema = source.schema();
  const int readers = std::clamp(all.threads() / 3, 1, kMostReaders);
  std::optional<Workers> left;
  if (all.threads() >= kMany) left.emplace(all.threads() - readers);
  Workers& workers = left ? *left : all;
  ChunkStream stream(source, schema, kSurveyRows, nullptr, {.readers = readers, .grow = true});
  Index instances = 0;
  for (std::vector<StreamedChunk> items = stream.next_ready(); !items.empty(); items = stream.next_ready()) {
    std::vector<const Chunk*> chunks;
    std::uint64_t fingerprint = 0;
    for (const StreamedChunk& item : items) {
      chunks.push_back(&item.chunk);
      fingerprint += item.fingerprint;
      instances += item.chunk.size();
    }
    use(chunks, fingerprint, workers);
    if (!observer.on_survey(instances)) {
      throw Error(ErrorKind::interrupted,
                  "interrupted while the data were read for the first time; nothing was learned");
    }
  }
}

}  // namespace

void check_survey(const Survey& survey, const Schema& schema, const Options& options) {
  if (survey.instances == 0) throw Error(ErrorKind::data, "the data have no instances");
  const double observed = survey.instances - survey.unobserved;
  if (observed == 0) throw Error(ErrorKind::data, "no instance has any view: all values are missing");
  if (options.clusters > observed) {
    throw Error(ErrorKind::data,
                fmt::format("{} clusters were asked for, but only {:.0f} instances have at least one view; "
                            "ask for fewer clusters",
                            options.clusters, observed));
  }
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    const std::string& name = schema.views[v].name;
    if (survey.views[v].observed == 0) {
      throw Error(ErrorKind::data, fmt::format("view {} has no instance present; leave it out", name));
    }
    if (survey.views[v].entries == 0) {
      throw Error(ErrorKind::data, fmt::format("view {} is zero everywhere; leave it out", name));
    }
    if (of_view(options.scaling, v) == Scaling::total && !(survey.views[v].total > 0)) {
      throw Error(ErrorKind::data,
                  fmt::format("view {} has no positive entry, and scaling = total sets negative ones to 0; "
                              "choose scaling = auto or leave the view out",
                              name));
    }
  }
}

void look_at(Source& source, Look& look, Observer& observer, Workers& workers) {
  for_chunks(source, observer, workers,
             [&](const std::vector<const Chunk*>& chunks, std::uint64_t print, Workers& some) {
               look.add(chunks, print, some);
             });
}

FirstLook look_at(Source& source, Observer& observer, Workers& workers) {
  FirstLook look{.survey = Survey(source.schema()), .fingerprint = 0, .order = 0};
  for_chunks(source, observer, workers,
             [&](const std::vector<const Chunk*>& chunks, std::uint64_t print, Workers& some) {
               look.survey.add(chunks, some);
               look.fingerprint += print;
               for (const Chunk* chunk : chunks) {
                 look.order += order_hash(look.instances, *chunk);
                 look.instances += chunk->size();
               }
             });
  return look;
}

double bytes_of(const Survey& survey) {
  double bytes = 0;
  for (const ViewSurvey& view : survey.views) {
    bytes += view.sparse ? 12 * view.entries : 8 * view.observed * static_cast<double>(view.sum.size());
  }
  return bytes;
}

namespace {

// Of an instance that has every view.
double bytes_of_row(const Survey& survey) {
  double bytes = 0;
  for (const ViewSurvey& view : survey.views) {
    bytes += view.sparse ? 12 * view.entries / std::max(1.0, view.observed) : 8 * static_cast<double>(view.sum.size());
  }
  return bytes;
}

}  // namespace

Index choose_living_chunk(const Survey& survey) {
  constexpr Index kFew = 50;
  constexpr Index kUsual = 256;  // unless they are very long
  constexpr Index kMost = 4000;
  constexpr double kBytes = 4 << 20;
  constexpr double kMostBytes = 16 << 20;
  const double row = std::max(bytes_of_row(survey), 1.0);
  const Index least = std::clamp(static_cast<Index>(kMostBytes / row), kFew, kUsual);
  return std::clamp(static_cast<Index>(kBytes / row), least, kMost);
}

Index choose_chunk(const Survey* survey) {
  constexpr Index kUsual = 500;
  constexpr Index kLeast = 50;
  constexpr Index kMost = 4000;
  constexpr Index kChunks = 32;  // in a pass, at least, where a chunk is to be larger than usual
  constexpr double kBytes = 64 << 20;
  if (survey == nullptr) return kUsual;
  Index features = 0;
  for (const ViewSurvey& view : survey->views) features += static_cast<Index>(view.sum.size());
  // The basis step runs over all features once a chunk: with as many instances as features it weighs as little as it
  // has to.
  const Index worth = std::clamp(features, kUsual, kMost);
  const Index wanted = std::max(kUsual, std::min(worth, static_cast<Index>(survey->instances) / kChunks));
  return std::clamp(static_cast<Index>(kBytes / std::max(bytes_of_row(*survey), 1.0)), kLeast, wanted);
}

}  // namespace omvc
