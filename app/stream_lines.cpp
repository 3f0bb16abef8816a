#include "stream_lines.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "omvc/report.hpp"

#include "json_text.hpp"

namespace omvc::app {
namespace {

constexpr double kFarthest = 1e6;  // infinitely far, for JSON

std::string quoted_json(std::string_view text) { return json_text(nlohmann::json(text), -1); }

std::string number(double value) {
  return std::isnan(value) ? "null" : fmt::format("{:.4g}", std::min(value, kFarthest));
}

}  // namespace

void add_label_line(std::string& out, const std::string& id, const StreamLabels& found, std::size_t i) {
  const auto to = std::back_inserter(out);
  if (found.labels[i] == kNotYet) {
    fmt::format_to(to, "{{\"id\": {}, \"cluster\": null}}\n", id);
    return;
  }
  fmt::format_to(to, "{{\"id\": {}, \"cluster\": {}, \"confidence\": {}, \"distance\": {}", id, found.labels[i],
                 number(found.confidence[i]), number(found.distance[i]));
  if (!found.membership.empty()) {
    out += ", \"membership\": {";
    const char* before = "";
    for (const auto& [cluster, chance] : found.membership[i]) {
      fmt::format_to(to, "{}\"{}\": {}", std::exchange(before, ", "), cluster, number(chance));
    }
    out += '}';
  }
  out += "}\n";
}

void add_error_line(std::string& out, const std::string& id, Index line, std::string_view message) {
  fmt::format_to(std::back_inserter(out), "{{\"id\": {}, \"line\": {}, \"error\": {}}}\n", id, line,
                 quoted_json(message));
}

void add_event_line(std::string& out, const StreamEvent& event) {
  const auto to = std::back_inserter(out);
  switch (event.kind) {
    case StreamEvent::Kind::cluster:
      fmt::format_to(to, "{{\"event\": \"{}\", \"cluster\": {}", name_of(event.cluster.kind), event.cluster.cluster);
      if (event.cluster.other >= 0) {
        fmt::format_to(to, ", \"{}\": {}", event.cluster.kind == ClusterEvent::Kind::split ? "from" : "into",
                       event.cluster.other);
      }
      fmt::format_to(to, ", \"instances\": {:.0f}}}\n", event.cluster.instances);
      break;
    case StreamEvent::Kind::saved:
      fmt::format_to(to, "{{\"event\": \"saved\", \"after\": {}, \"instances\": {}}}\n", event.text, event.instances);
      break;
    case StreamEvent::Kind::strange:
      fmt::format_to(to, "{{\"event\": \"strange\", \"id\": {}, \"view\": {}, \"widths\": {:.3g}}}\n", event.text,
                     quoted_json(event.view), event.widths);
      break;
    case StreamEvent::Kind::accepted:
      fmt::format_to(to, "{{\"event\": \"accepted\", \"instances\": {}}}\n", event.instances);
      break;
    case StreamEvent::Kind::not_rebuilt:
      fmt::format_to(to, "{{\"event\": \"not rebuilt\", \"error\": {}}}\n", quoted_json(event.text));
      break;
    case StreamEvent::Kind::warning:
      fmt::format_to(to, "{{\"event\": \"warning\", \"text\": {}}}\n", quoted_json(event.text));
      break;
    case StreamEvent::Kind::not_saved:
      fmt::format_to(to, "{{\"event\": \"not saved\", \"error\": {}}}\n", quoted_json(event.text));
      break;
  }
}

void add_resumed_line(std::string& out, const std::string& after, Index instances,
                      const std::optional<UndeliveredRows>& undelivered) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{{\"event\": \"resumed\", \"after\": {}, \"instances\": {}", after, instances);
  if (undelivered) {
    fmt::format_to(to, ", \"undelivered\": {{\"from\": {}, \"rows\": {}}}", undelivered->from, undelivered->rows);
  }
  out += "}\n";
}

}  // namespace omvc::app
