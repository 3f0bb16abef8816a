// What is known of signals without taking notice of them; console.hpp has the rest.
#pragma once

namespace omvc::app {

// Whether the run was asked to stop. Unlike stop_requested it does not say that whoever runs has heard of it.
bool stop_pending();

}  // namespace omvc::app
