// A page for the browser that shows a model: one file, which asks the network for nothing.
#pragma once

#include <string>

#include "tools/webnn/model/file_view.h"
#include "tools/webnn/model/model.h"
#include "tools/webnn/page/tensors.h"

namespace webnn::inline v0_1::tool {

struct PageContents {
  GraphMemory memory{};                    ///< what the model takes as programs build it
  std::span<const double> microseconds{};  ///< one for each step, or none
  Tensors tensors{};                       ///< those of a run, or none
  const FileView* file = nullptr;          ///< the model in the words of its file, or none
};

/// The model as it runs, as it was built and, if there is a view of it, as its file has it, with
/// the statistics of its weights.
std::string html_page(const Model& model, const PageContents& contents);
/// The page of that data.
std::string html_page_of(const Json& data);

extern const char* const page_template;  // made from page.html, page.css and *.js

}  // namespace webnn::inline v0_1::tool
