// A model in the words of its file, drawn.
#pragma once

#include "tools/webnn/model/file_view.h"

namespace webnn::inline v0_1::tool {

/// A view of a page for each graph of the file, the model's first.
Json views_of_file(const FileView& view);
/// The page of a file that is not imported; `why` says the reason.
std::string html_page_of_file(const FileView& view, const std::string& path,
                              const std::string& why);
/// The model's graph for Graphviz; what is not supported is red.
std::string file_graphviz(const FileView& view);

}  // namespace webnn::inline v0_1::tool
