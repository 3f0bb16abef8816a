#include "run/plan_bytes.hpp"

#include <bit>
#include <fmt/format.h>

#include "omvc/error.hpp"

namespace omvc {
namespace {

constexpr const char* kKind = "plan/kind";
constexpr const char* kGround = "plan/options";

void put_candidates(Archive& archive, const std::vector<std::pair<std::string, double>>& candidates) {
  std::vector<std::string> names;
  std::vector<double> errors;
  for (const auto& [name, error] : candidates) {
    names.push_back(name);
    errors.push_back(error);
  }
  archive.put("plan/candidates", std::move(names));
  archive.put("plan/errors", std::move(errors));
}

std::vector<std::pair<std::string, double>> get_candidates(const Archive& archive) {
  const std::vector<std::string> names = archive.lines("plan/candidates");
  const Vector errors = archive.vector("plan/errors", static_cast<Index>(names.size()));
  std::vector<std::pair<std::string, double>> out;
  for (std::size_t i = 0; i < names.size(); ++i) out.emplace_back(names[i], errors(static_cast<Index>(i)));
  return out;
}

}  // namespace

std::string plan_bytes(Archive archive, const char* kind, const Plan& plan) {
  archive.put(kKind, kind);
  archive.put(kGround, common_ground(plan.options(), plan.schema()));
  return archive.to_bytes();
}

Archive plan_archive(const std::string& bytes, std::string_view kinds, const Plan& plan) {
  Archive archive = Archive::from_bytes(bytes, fmt::format("the {} of a plan", kinds));
  const std::string kind = archive.has(kKind) ? archive.text(kKind) : "model or checkpoint";
  if (kinds.find(kind) == std::string::npos) {
    throw Error(ErrorKind::data, fmt::format("the {} of a plan is needed here, and this is a {}", kinds, kind));
  }
  if (archive.text(kGround) != common_ground(plan.options(), plan.schema())) {
    throw Error(ErrorKind::data, fmt::format("this {} was made with other options, or for other views", kind));
  }
  return archive;
}

std::string PlanState::bytes(bool whole, const Plan& plan) const {
  Archive archive;
  put_living(archive, setting, state, passes, *model, whole);
  put_candidates(archive, state.report.candidates);
  archive.put("plan/single", single);
  return plan_bytes(std::move(archive), whole ? "state" : "task", plan);
}

PlanState PlanState::from(const std::string& bytes, const char* kind, const Plan& plan) {
  const Archive archive = plan_archive(bytes, kind, plan);
  PlanState out{.setting = {.options = plan.options(), .schema = {}, .scaling = {}, .clipped = {}}, .state = {}};
  out.setting.start(plan.schema());
  out.model.emplace(get_living(archive, out.setting, out.state, out.passes));
  out.state.report.candidates = get_candidates(archive);
  out.single = archive.integers("plan/single");
  if (out.passes == 0 && out.single.size() != plan.schema().views.size()) {
    throw Error(ErrorKind::data, fmt::format("the {} of a plan does not fit its views", kind));
  }
  if (!out.model->built()) throw Error(ErrorKind::data, fmt::format("the {} of a plan has no model", kind));
  return out;
}

std::string LabelTally::bytes(const Plan& plan) const {
  Archive archive;
  counts.put(archive);
  archive.put("labelled",
              std::vector<Index>{instances, std::bit_cast<Index>(fingerprint), std::bit_cast<Index>(order)});
  return plan_bytes(std::move(archive), "tally", plan);
}

LabelTally LabelTally::from(const std::string& bytes, const Plan& plan) {
  const Archive archive = plan_archive(bytes, "tally", plan);
  const std::vector<Index>& numbers = archive.integers("labelled");
  if (numbers.size() != 3) throw Error(ErrorKind::data, "the tally of a plan is incomplete");
  return {.counts = LabelCounts::get(archive, kOutlier, plan.schema().views.size()),
          .instances = numbers[0],
          .fingerprint = std::bit_cast<std::uint64_t>(numbers[1]),
          .order = std::bit_cast<std::uint64_t>(numbers[2])};
}

Reservoir::Ranking ranking_from(const std::string& bytes, const Plan& plan) {
  const Archive archive = plan_archive(bytes, "ranks", plan);
  const std::vector<double>& numbers = archive.numbers("ranks", kFinite);
  if (numbers.size() % 2 != 0) throw Error(ErrorKind::data, "the ranks of a plan are incomplete");
  Reservoir::Ranking out;
  for (std::size_t i = 0; i < numbers.size(); i += 2) out.emplace_back(numbers[i], numbers[i + 1]);
  return out;
}

std::string ranking_bytes(const Reservoir::Ranking& ranking, const Plan& plan) {
  std::vector<double> numbers;
  for (const auto& [priority, size] : ranking) numbers.insert(numbers.end(), {priority, size});
  Archive archive;
  archive.put("ranks", std::move(numbers));
  return plan_bytes(std::move(archive), "ranks", plan);
}

}  // namespace omvc
