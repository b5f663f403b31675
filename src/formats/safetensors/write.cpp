#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "src/builder/validate.h"
#include "src/formats/common/write_file.h"
#include "src/formats/safetensors/dtypes.h"
#include "src/formats/safetensors/header.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::safetensors {
namespace {

constexpr std::size_t data_alignment = 64;

std::optional<Failure> check(const NamedValues& t) {
  if (t.name == metadata_key) return fail("the format reserves this name");
  const auto& [type, shape] = t.descriptor;
  if (!dtype_of(type)) return fail("the format has no {}", type);
  if (auto bad = check_dimensions("the tensor", type, shape::sizes(shape))) return bad;
  if (!t.values.views(type)) return fail("the values are not of type {}", type);
  if (const auto needed = byte_length(t.descriptor); t.values.size() != needed)
    return fail("the values have {} bytes, but shape {} of {} needs {}", t.values.size(), shape,
                type, needed);
  return std::nullopt;
}

/// Sorted by the width of the elements, the widest first: every tensor is then aligned.
std::vector<const NamedValues*> in_file_order(std::span<const NamedValues> tensors) {
  std::vector<const NamedValues*> out;
  for (const NamedValues& t : tensors) out.push_back(&t);
  std::stable_sort(out.begin(), out.end(), [](const NamedValues* a, const NamedValues* b) {
    return bits_of(a->descriptor.dataType) > bits_of(b->descriptor.dataType);
  });
  return out;
}

/// A text as JSON has it: in quotes, with escapes.
std::string json_text(std::string_view text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    raise(fail("a name or a text of the metadata is not UTF-8"), "safetensors");
  }
}
template <class Numbers> std::string list(const Numbers& numbers) {
  std::vector<std::string> texts;
  for (const auto n : numbers) texts.push_back(std::to_string(n));
  return '[' + joined(texts, ",") + ']';
}

/// The library's objects of JSON cannot be destroyed when memory has run out: only texts are its
/// own.
std::string header_text(std::span<const NamedValues* const> tensors, const Metadata& metadata) {
  std::string text = "{";
  if (!metadata.empty()) {
    std::vector<std::string> entries;
    for (const auto& [key, value] : metadata)
      entries.push_back(json_text(key) + ':' + json_text(value));
    text += json_text(metadata_key) + ":{" + joined(entries, ",") + '}';
  }
  std::uint64_t offset = 0;
  for (const NamedValues* t : tensors) {
    const std::uint64_t end = offset + t->values.size();
    if (text.size() > 1) text += ',';
    text += json_text(t->name) +
            ":{\"dtype\":" + json_text(dtype_of(t->descriptor.dataType)->name) +
            ",\"shape\":" + list(t->descriptor.shape) +
            ",\"data_offsets\":" + list(std::array{offset, end}) + '}';
    offset = end;
  }
  text += '}';
  text.resize(round_up(8 + text.size(), data_alignment) - 8, ' ');
  if (text.size() > max_header_length)
    raise(fail("the length ({}) of the header is greater than {}", text.size(), max_header_length),
          "safetensors");
  return text;
}

/// Hands the parts of the file to `put`, in order.
template <class Put>
void write_parts(std::span<const NamedValues> tensors, const Metadata& metadata, Put put) {
  std::set<std::string_view> names;
  for (const NamedValues& t : tensors) {
    auto bad = check(t);
    if (!bad && !names.insert(t.name).second) bad = fail("the name is given twice");
    if (bad) raise(fail("tensor {}: {}", in_quotes(t.name), bad->message), "safetensors");
  }
  const auto ordered = in_file_order(tensors);
  const std::string text = header_text(ordered, metadata);
  const std::uint64_t length = text.size();
  put(std::as_bytes(std::span(&length, 1)));
  put(std::as_bytes(std::span(text)));
  for (const NamedValues* t : ordered) put(t->values.bytes());
}

}  // namespace

std::vector<std::byte> write(ListView<NamedValues> tensors, const Metadata& metadata) {
  std::vector<std::byte> out;
  write_parts(tensors, metadata, [&](std::span<const std::byte> part) {
    out.insert(out.end(), part.begin(), part.end());
  });
  return out;
}

void write(const Path& path, ListView<NamedValues> tensors, const Metadata& metadata) {
  if (auto bad = formats::write_file(
          path, [&](const formats::Put& put) { write_parts(tensors, metadata, put); }))
    raise(*bad, "safetensors", path);
}

}  // namespace webnn::inline v0_1::safetensors
