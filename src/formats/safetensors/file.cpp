#include <algorithm>
#include <bit>
#include <cstring>

#include "src/builder/validate.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/safetensors/dtypes.h"
#include "src/formats/safetensors/header.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::safetensors {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

struct File::Contents {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> data;  // what follows the header
  std::string label;
  Header header;

  const TensorInfo* find(std::string_view name) const {
    const auto name_at = [&](std::uint32_t i) -> std::string_view {
      return header.tensors[i].name;
    };
    const auto it = std::ranges::lower_bound(header.by_name, name, {}, name_at);
    return it != header.by_name.end() && name_at(*it) == name ? &header.tensors[*it] : nullptr;
  }
  [[noreturn]] void refuse(const Failure& f, std::string_view name) const {
    raise({"tensor " + in_quotes(name) + ": " + f.message, ErrorName::DataError}, "safetensors",
          label);
  }
};

namespace {

/// The header's text and the data after it. A length of eight bytes comes before them.
Result<std::pair<std::string_view, std::span<const std::byte>>> split(
    std::span<const std::byte> bytes) {
  if (bytes.size() < 8) return fail("{} bytes are too few for a header", bytes.size());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  if (length > max_header_length)
    return fail("the length ({}) of the header is greater than {}", length, max_header_length);
  if (length > bytes.size() - 8)
    return fail("the length ({}) of the header exceeds the {} bytes after it", length,
                bytes.size() - 8);
  const auto size = static_cast<std::size_t>(length);
  return std::pair(std::string_view(reinterpret_cast<const char*>(bytes.data()) + 8, size),
                   bytes.subspan(8 + size));
}

/// The descriptor of the operand that a tensor becomes.
Result<MLOperandDescriptor> operand(const TensorInfo& t) {
  if (!t.dataType) return fail("dtype {} is not a data type of WebNN", t.dtype);
  if (auto bad = check_dimensions("the tensor", *t.dataType, {t.shape.begin(), t.shape.end()}))
    return *bad;
  return MLOperandDescriptor{*t.dataType, Dims(t.shape.begin(), t.shape.end())};
}

}  // namespace

File File::open(const Path& path) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "safetensors", path);
  return from_bytes(std::move(file->owner), file->bytes, path);
}

File File::from_bytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                      std::string_view label) {
  const auto parts = split(bytes);
  if (!parts) raise({parts.failure().message, ErrorName::DataError}, "safetensors", label);
  const auto& [json, data] = *parts;
  auto header = read_header(json, data.size());
  if (!header) raise(header.failure(), "safetensors", label);
  return File(std::make_shared<const Contents>(
      Contents{std::move(owner), data, std::string(label), std::move(*header)}));
}

File File::from_bytes(std::vector<std::byte> bytes, std::string_view label) {
  auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const std::span<const std::byte> view(*owner);
  return from_bytes(std::move(owner), view, label);
}

std::span<const TensorInfo> File::tensors() const { return contents_->header.tensors; }

std::vector<std::string> File::names() const {
  std::vector<std::string> out;
  for (const TensorInfo& t : tensors()) out.push_back(t.name);
  return out;
}

bool File::contains(std::string_view name) const { return contents_->find(name) != nullptr; }

const Metadata& File::metadata() const { return contents_->header.metadata; }

const TensorInfo& File::info(std::string_view name) const {
  const TensorInfo* t = contents_->find(name);
  if (!t) contents_->refuse(fail("there is no tensor of that name"), name);
  return *t;
}

std::span<const std::byte> File::bytes(std::string_view name) const {
  const TensorInfo& t = info(name);
  return contents_->data.subspan(static_cast<std::size_t>(t.begin),
                                 static_cast<std::size_t>(t.end - t.begin));
}

MLOperandDescriptor File::descriptor(std::string_view name) const {
  auto d = operand(info(name));
  if (!d) contents_->refuse(d.failure(), name);
  return std::move(*d);
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

}  // namespace webnn::inline v0_1::safetensors
