// The layers of architecture, and which of them may use which.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace webnn::inline v0_1::test {

/// A folder, or a file without its ending, and what files in it may include and call: the folder
/// itself and these. The longest folder that a file is in decides.
struct Layer {
  std::string_view folder;
  std::vector<std::string_view> below{};
};
inline const std::vector<Layer> layers = {
    {"include/webnn"},
    {"src/graph", {"include/webnn"}},
    {"src/operators", {"src/graph", "include/webnn"}},
    {"src/builder", {"src/operators", "src/graph", "include/webnn"}},
    {"src/kernels", {"src/graph", "include/webnn"}},
    {"src/kernels/common", {"src/graph", "include/webnn"}},
    {"src/kernels/reference",  // backends.h declares what each backend defines
     {"src/kernels/backends", "src/kernels/common", "src/graph", "include/webnn"}},
    {"src/passes", {"src/kernels", "src/graph", "include/webnn"}},
    {"src/runtime",
     {"src/passes", "src/kernels", "src/builder", "src/operators", "src/graph", "include/webnn"}},
    {"src/quantization",
     {"src/runtime", "src/passes", "src/kernels", "src/builder", "src/graph", "include/webnn"}},
    {"src/draft2023",
     {"src/runtime", "src/passes", "src/kernels", "src/builder", "src/graph", "include/webnn"}},
    {"src/formats",
     {"src/formats/common", "src/runtime", "src/passes", "src/kernels", "src/builder",
      "src/operators", "src/graph", "include/webnn"}},
    {"src/formats/registry",  // by their public headers
     {"src/formats/common", "src/graph", "include/webnn"}},
    {"src/lm",
     {"src/formats", "src/formats/common", "src/runtime", "src/passes", "src/kernels",
      "src/builder", "src/graph", "include/webnn"}},
    {"tools",
     {"tools/images", "src/formats/registry/format", "src/formats/common", "src/runtime",
      "src/passes", "src/kernels", "src/builder", "src/operators", "src/graph", "include/webnn"}},
    {"tools/images", {"src/formats/common", "include/webnn"}},
    {"docs",
     {"src/formats", "src/formats/common", "src/runtime", "src/passes", "src/kernels",
      "src/builder", "src/graph", "include/webnn"}},
    {"bindings",
     {"src/runtime", "src/passes", "src/kernels", "src/builder", "src/graph", "include/webnn"}},
    {"bindings/node",
     {"src/formats/registry/format", "src/lm/interface", "src/runtime", "src/graph",
      "include/webnn"}},
    {"bindings/c",
     {"src/formats/registry/format", "src/lm/interface", "docs", "src/formats/common",
      "src/runtime", "src/graph", "include/webnn"}},
    {"bindings/python",
     {"src/formats/registry/format", "src/lm/interface", "tools/images", "docs",
      "src/formats/common", "src/runtime", "src/graph", "include/webnn"}},
};

/// The folder of each other backend.
inline const Layer backend_layer{"src/kernels/*",
                                 {"src/kernels/backends", "src/kernels/reference/evaluate",
                                  "src/kernels/common", "src/graph", "include/webnn"}};

/// Whether a file is in that folder, or is that file.
inline bool within(std::string_view file, std::string_view place) {
  return file.starts_with(place) &&
         (file.size() == place.size() || file[place.size()] == '/' || file[place.size()] == '.');
}
inline bool within_any(std::string_view file, const std::vector<std::string_view>& places) {
  return std::any_of(places.begin(), places.end(),
                     [&](std::string_view place) { return within(file, place); });
}

inline const Layer* layer_of(std::string_view file) {
  const Layer* found = nullptr;
  for (const Layer& layer : layers)
    if (within(file, layer.folder) && (!found || layer.folder.size() > found->folder.size()))
      found = &layer;
  constexpr std::string_view kernels = "src/kernels";
  const bool is_backend = found && found->folder == kernels &&
                          file.find('/', kernels.size() + 1) != std::string_view::npos;
  return is_backend ? &backend_layer : found;
}

/// Whether two files are in folders beside each other, such as two formats: neither uses the
/// other's.
inline bool are_siblings(std::string_view file, std::string_view other, std::string_view parent) {
  const auto child = [&](std::string_view f) {
    const std::string_view rest = f.substr(parent.size() + 1);
    return rest.substr(0, rest.find('/'));
  };
  return within(file, parent) && within(other, parent) && child(file) != child(other);
}

/// Why a file may not use what is in the other one; nothing when it may.
inline std::optional<std::string> points_up(std::string_view file, std::string_view target) {
  const Layer *from = layer_of(file), *to = layer_of(target);
  if (!from || !to) return "the file is in no layer";
  if (within(file, "src/formats") && within(target, "src/formats") &&
      are_siblings(file, target, "src/formats") && !within(target, "src/formats/common"))
    return "formats do not use each other";
  if (from == &backend_layer && to == from) {
    if (!are_siblings(file, target, "src/kernels")) return std::nullopt;
    return "backends do not use each other";
  }
  // src/kernels/backends.cpp uses every backend; a backend only what is named below it.
  const bool own = within(target, from->folder) && (to == from || from->folder == "src/kernels");
  if (own || within_any(target, from->below)) return std::nullopt;
  return std::string(from->folder) + " is not above " + std::string(to->folder);
}

}  // namespace webnn::inline v0_1::test
