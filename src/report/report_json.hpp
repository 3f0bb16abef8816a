// Reports as JSON, written here alone: for `--json`, the page and callers of the library.
#pragma once

#include <nlohmann/json.hpp>

#include "omvc/evaluation.hpp"
#include "omvc/options.hpp"
#include "omvc/report.hpp"

namespace omvc {

nlohmann::json report_json(const Report& report);
nlohmann::json options_json(const Options& options);
nlohmann::json event_json(const ClusterEvent& event);

// Counts and scores of found clusters against the truth.
nlohmann::json truth_json(const Contingency& scored);

// As text. Names need not be UTF-8, as JSON is: what is not becomes a replacement character.
std::string json_text(const nlohmann::json& value);

}  // namespace omvc
