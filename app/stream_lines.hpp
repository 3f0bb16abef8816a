// What `omvc stream` writes: a line of JSON for every row and for every event.
#pragma once

#include <string>
#include <string_view>

#include "omvc/stream.hpp"

namespace omvc::app {

// `id` is JSON.
// The line of the i-th row.
void add_label_line(std::string& out, const std::string& id, const StreamLabels& found, std::size_t i);
void add_error_line(std::string& out, const std::string& id, Index line, std::string_view message);
void add_event_line(std::string& out, const StreamEvent& event);
void add_resumed_line(std::string& out, const std::string& after, Index instances,
                      const std::optional<UndeliveredRows>& undelivered);

}  // namespace omvc::app
