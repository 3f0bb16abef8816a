#include "source/join/named.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <string_view>
#include <unordered_map>

#include "omvc/error.hpp"

#include "source/table/line_reader.hpp"

namespace omvc {
namespace {

class NamedSource final : public Source {
 public:
  NamedSource(std::unique_ptr<Source> source, std::vector<std::string> ids)
      : source_(std::move(source)), ids_(std::move(ids)) {}

  const Schema& schema() const override { return source_->schema(); }
  std::optional<Index> size() const override { return source_->size(); }
  std::optional<Chunk> next(Index max_rows) override { return source_->next(max_rows); }
  Delivery begin_next(Index max_rows) override { return source_->begin_next(max_rows); }
  bool rewind() override { return source_->rewind(); }
  void skip(Index rows) override { source_->skip(rows); }

  std::vector<std::string> ids(Index first, Index count) override {
    const Index size = static_cast<Index>(ids_.size());
    const Index begin = std::clamp<Index>(first, 0, size);
    const Index end = begin + std::clamp<Index>(count, 0, size - begin);
    return {ids_.begin() + begin, ids_.begin() + end};
  }

 private:
  std::unique_ptr<Source> source_;
  std::vector<std::string> ids_;
};

class FeatureNamedSource final : public Source {
 public:
  FeatureNamedSource(std::unique_ptr<Source> source, Schema schema)
      : source_(std::move(source)), schema_(std::move(schema)) {}

  const Schema& schema() const override { return schema_; }
  std::optional<Index> size() const override { return source_->size(); }
  std::optional<Chunk> next(Index max_rows) override { return source_->next(max_rows); }
  Delivery begin_next(Index max_rows) override { return source_->begin_next(max_rows); }
  bool rewind() override { return source_->rewind(); }
  void skip(Index rows) override { source_->skip(rows); }
  std::vector<std::string> ids(Index first, Index count) override { return source_->ids(first, count); }

 private:
  std::unique_ptr<Source> source_;
  Schema schema_;
};

}  // namespace

std::unique_ptr<Source> make_feature_named_source(std::unique_ptr<Source> source,
                                                  std::vector<std::vector<std::string>> names) {
  Schema schema = source->schema();
  for (std::size_t v = 0; v < schema.views.size(); ++v) {
    if (!names[v].empty()) schema.views[v].feature_names = std::move(names[v]);
  }
  return std::make_unique<FeatureNamedSource>(std::move(source), std::move(schema));
}

std::unique_ptr<Source> make_named_source(std::unique_ptr<Source> source, std::vector<std::string> ids,
                                          const std::string& where) {
  if (const auto size = source->size(); size && *size != static_cast<Index>(ids.size())) {
    throw Error(ErrorKind::data, fmt::format("{}: there are {} sample ids for {} instances", where, ids.size(), *size));
  }
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto [at, fresh] = seen.try_emplace(ids[i], i);
    if (!fresh) {
      throw Error(ErrorKind::data, fmt::format("{}: the sample id {} is that of instance {} and of instance {} (from "
                                               "0); an id must be unique",
                                               where, omvc::quoted(ids[i]), at->second, i));
    }
  }
  return std::make_unique<NamedSource>(std::move(source), std::move(ids));
}

}  // namespace omvc
