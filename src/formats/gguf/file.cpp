#include <algorithm>
#include <cstring>

#include "src/builder/validate.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/gguf/header.h"
#include "src/formats/gguf/types.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::gguf {

struct File::Contents {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;
  std::string label;
  Header header;

  const TensorInfo* tensor(std::string_view name) const {
    const auto name_at = [&](std::uint32_t i) { return header.tensors[i].name; };
    const auto it = std::ranges::lower_bound(header.by_name, name, {}, name_at);
    return it != header.by_name.end() && name_at(*it) == name ? &header.tensors[*it] : nullptr;
  }
  const Value* value(std::string_view key) const {
    const auto key_at = [&](std::uint32_t i) { return header.metadata[i].key; };
    const auto it = std::ranges::lower_bound(header.by_key, key, {}, key_at);
    return it != header.by_key.end() && key_at(*it) == key ? &header.metadata[*it].value : nullptr;
  }
  [[noreturn]] void refuse(const Failure& f, std::string_view kind, std::string_view name,
                           ErrorName error = ErrorName::DataError) const {
    raise({std::string(kind) + in_quotes(name) + ": " + f.message, error}, "gguf", label);
  }
  /// The elements of an array of the alternative I.
  template <std::size_t I> auto elements(std::string_view key, std::string_view type) const {
    using Elements = std::variant_alternative_t<I, decltype(Array::values)>;
    std::optional<std::span<const typename Elements::value_type>> found;
    const Value* v = value(key);
    if (!v) return found;
    const auto* array = std::get_if<std::shared_ptr<const Array>>(v);
    const auto* values = array ? std::get_if<I>(&(*array)->values) : nullptr;
    if (!values) refuse(fail("the value is not an array of type {}", type), "", key);
    found = *values;
    return found;
  }
};

std::size_t Array::size() const {
  return std::visit([](const auto& v) { return v.size(); }, values);
}

File File::open(const Path& path) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "gguf", path);
  return from_bytes(std::move(file->owner), file->bytes, path);
}

File File::from_bytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                      std::string_view label) {
  auto header = read_header(bytes);
  if (!header) raise(header.failure(), "gguf", label);
  return File(std::make_shared<const Contents>(
      Contents{std::move(owner), bytes, std::string(label), std::move(*header)}));
}

File File::from_bytes(std::vector<std::byte> bytes, std::string_view label) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view(*owner);
  return from_bytes(std::move(owner), view, label);
}

std::uint32_t File::version() const { return contents_->header.version; }
std::uint64_t File::alignment() const { return contents_->header.alignment; }
std::span<const MetadataEntry> File::metadata() const { return contents_->header.metadata; }
std::span<const TensorInfo> File::tensors() const { return contents_->header.tensors; }
const Value* File::find(std::string_view key) const { return contents_->value(key); }

std::optional<std::uint64_t> File::integer(std::string_view key) const {
  const Value* v = find(key);
  if (!v) return std::nullopt;
  return std::visit(
      [&]<class T>(const T& x) -> std::uint64_t {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
          if (std::is_unsigned_v<T> || x >= T{}) return static_cast<std::uint64_t>(x);
        contents_->refuse(fail("the value is not a non-negative integer"), "", key);
      },
      *v);
}
std::optional<double> File::number(std::string_view key) const {
  const Value* v = find(key);
  if (!v) return std::nullopt;
  return std::visit(
      [&]<class T>(const T& x) -> double {
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
          return static_cast<double>(x);
        else contents_->refuse(fail("the value is not a number"), "", key);
      },
      *v);
}
std::optional<bool> File::boolean(std::string_view key) const {
  const Value* v = find(key);
  if (!v) return std::nullopt;
  if (const bool* b = std::get_if<bool>(v)) return *b;
  contents_->refuse(fail("the value is not a bool"), "", key);
}
std::optional<std::string_view> File::text(std::string_view key) const {
  const Value* v = find(key);
  if (!v) return std::nullopt;
  if (const auto* s = std::get_if<std::string_view>(v)) return *s;
  contents_->refuse(fail("the value is not a string"), "", key);
}
std::optional<std::span<const std::string_view>> File::texts(std::string_view key) const {
  return contents_->elements<8>(key, "string");
}
std::optional<std::span<const float>> File::floats(std::string_view key) const {
  return contents_->elements<6>(key, "float32");
}
std::optional<std::span<const std::int32_t>> File::integers(std::string_view key) const {
  return contents_->elements<5>(key, "int32");
}

bool File::contains(std::string_view name) const { return contents_->tensor(name) != nullptr; }

const TensorInfo& File::info(std::string_view name) const {
  const TensorInfo* t = contents_->tensor(name);
  if (!t) contents_->refuse(fail("there is no tensor of that name"), "tensor ", name);
  return *t;
}

std::span<const std::byte> File::bytes(std::string_view name) const {
  const TensorInfo& t = info(name);
  if (t.begin == t.end) return {};
  return contents_->bytes.subspan(static_cast<std::size_t>(contents_->header.data + t.begin),
                                  static_cast<std::size_t>(t.end - t.begin));
}

MLOperandDescriptor File::descriptor(std::string_view name) const {
  const TensorInfo& t = info(name);
  const TypeRow& row = *row_of(t.type);
  if (!row.operand)
    contents_->refuse(fail("type {} is not a data type of WebNN", row.name), "tensor ", name);
  if (auto bad = check_dimensions("the tensor", *row.operand, {t.shape.begin(), t.shape.end()}))
    contents_->refuse(*bad, "tensor ", name);
  return {*row.operand, Dims(t.shape.begin(), t.shape.end())};
}

Constant File::constant(std::string_view name) const {
  const auto element = static_cast<std::uintptr_t>(bits_of(descriptor(name).dataType)) / 8;
  const auto view = bytes(name);
  if (reinterpret_cast<std::uintptr_t>(view.data()) % element == 0)
    return Constant(contents_->owner, view);
  auto copy = std::make_shared<std::vector<std::uint64_t>>(divide_up(view.size(), 8));
  std::memcpy(copy->data(), view.data(), view.size());
  const auto copied = std::as_bytes(std::span(*copy)).first(view.size());
  return Constant::transferred(std::move(copy), copied);
}

std::vector<float> File::dequantized(std::string_view name) const {
  const TensorInfo& t = info(name);
  if (!can_dequantize(t.type))
    contents_->refuse(fail("type {} is not dequantized", name_of(t.type)), "tensor ", name,
                      ErrorName::NotSupportedError);
  const BlockLayout layout = block_layout(t.type);
  const auto blocks = bytes(name);
  std::vector<float> values(blocks.size() / layout.bytes * layout.elements);
  dequantize(t.type, blocks, values);
  return values;
}

}  // namespace webnn::inline v0_1::gguf
