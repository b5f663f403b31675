// Language models: described, and not read as one graph.
#include "webnn/gguf.h"

#include <algorithm>

#include "src/formats/registry/content.h"
#include "src/formats/registry/format.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::registry {
namespace {

constexpr std::size_t max_shown = 8, max_text = 60;

std::string text_of(const gguf::Value& value);
template <class T> std::string text_of_one(const T& x) {
  if constexpr (std::is_same_v<T, std::string_view>) return in_quotes(x, max_text);
  else if constexpr (std::is_same_v<T, bool>) return x ? "true" : "false";
  else if constexpr (std::is_arithmetic_v<T>) return detail::Arg(x).text;
  else return text_of(gguf::Value(x));
}
/// The first elements of an array, and how many there are.
std::string text_of(const gguf::Array& array) {
  std::vector<std::string> first;
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = 0; i < std::min(values.size(), max_shown); ++i)
          first.push_back(text_of_one(values[i]));
      },
      array.values);
  if (array.size() > max_shown) first.push_back("...");
  const std::string list = '[' + joined(first) + ']';
  return array.size() > max_shown ? std::to_string(array.size()) + " values " + list : list;
}
std::string text_of(const gguf::Value& value) {
  return std::visit(
      []<class T>(const T& x) -> std::string {
        if constexpr (std::is_same_v<T, std::shared_ptr<const gguf::Array>>) return text_of(*x);
        else return text_of_one(x);
      },
      value);
}

/// How many tensors and elements there are of each type.
struct Count {
  std::string_view type;
  std::uint64_t tensors = 0, elements = 0, bytes = 0;
};
std::vector<Count> counts_of(const gguf::File& file) {
  std::vector<Count> all;
  for (const gguf::TensorInfo& t : file.tensors()) {
    const std::string_view type = gguf::name_of(t.type);
    auto at = std::ranges::find(all, type, &Count::type);
    if (at == all.end()) at = all.insert(all.end(), Count{type});
    const gguf::BlockLayout layout = gguf::block_layout(t.type);
    ++at->tensors;
    at->elements += (t.end - t.begin) / layout.bytes * layout.elements;
    at->bytes += t.end - t.begin;
  }
  std::ranges::stable_sort(all, std::greater<>(), &Count::bytes);
  return all;
}

Contents gguf_contents(const std::filesystem::path& path) {
  const gguf::File file = gguf::File::open(path.string());
  Contents parts;
  parts.push_back({"format", "GGUF version " + std::to_string(file.version())});
  for (const Count& c : counts_of(file))
    parts.push_back({"tensors of type " + std::string(c.type),
                     std::to_string(c.tensors) + ", " + std::to_string(c.elements) + " elements",
                     c.bytes});
  for (const gguf::MetadataEntry& entry : file.metadata())
    parts.push_back({escaped(entry.key), text_of(entry.value)});
  for (const gguf::TensorInfo& t : file.tensors())
    parts.push_back({"tensor " + escaped(t.name),
                     std::string(gguf::name_of(t.type)) + ' ' +
                         detail::Arg(std::span<const std::uint64_t>(t.shape)).text,
                     t.end - t.begin});
  return parts;
}

bool is_gguf(std::span<const std::byte> file) { return has_text(file, 0, "GGUF"); }

}  // namespace

std::vector<Format> gguf_formats() {
  return {{.name = "gguf",
           .about = "weights, tokens and metadata of a language model",
           .extensions = {"gguf"},
           .recognizes = &is_gguf,
           .contents = &gguf_contents}};
}

}  // namespace webnn::inline v0_1::registry
