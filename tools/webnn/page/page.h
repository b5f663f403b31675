// A page for the browser that shows a graph: one file, which asks the network for nothing.
#pragma once

#include <string>

#include "tools/webnn/model/model.h"

namespace webnn::tool {

/// The graph as it was built and as it runs, with the statistics of its weights. `microseconds` of
/// each step, or none.
std::string html_page(const Model& model, std::span<const double> microseconds);

extern const char* const page_template;  // made from page.html

}  // namespace webnn::tool
