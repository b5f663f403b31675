#include "src/formats/executorch/import/blob.h"

#include <cstring>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {
namespace {

constexpr std::size_t header_size = 30;

template <class T> T number_at(std::span<const std::byte> bytes, std::size_t offset) {
  T v;
  std::memcpy(&v, bytes.data() + offset, sizeof v);
  return v;
}

/// The flatbuffer and the constants, where the header says.
struct Parts {
  std::span<const std::byte> flatbuffer, constants;
};
Result<Parts> split_header(std::span<const std::byte> bytes) {
  if (bytes.size() < header_size)
    return fail("{} bytes are too few for the header XH00", bytes.size());
  const auto length = number_at<std::uint16_t>(bytes, 8);
  const auto offset = number_at<std::uint32_t>(bytes, 10),
             size = number_at<std::uint32_t>(bytes, 14), data = number_at<std::uint32_t>(bytes, 18);
  const auto data_size = number_at<std::uint64_t>(bytes, 22);
  if (length < header_size)
    return fail("the length ({}) in the header is not {}", length, header_size);
  if (offset < header_size || offset > bytes.size() || size > bytes.size() - offset)
    return fail("the header's flatbuffer, {} bytes at {}, exceeds the {} bytes", size, offset,
                bytes.size());
  if (data > bytes.size() || data_size > bytes.size() - data)
    return fail("the header's constants, {} bytes at {}, exceed the {} bytes", data_size, data,
                bytes.size());
  return Parts{bytes.subspan(offset, size),
               bytes.subspan(data, static_cast<std::size_t>(data_size))};
}

}  // namespace

Result<Blob> open_blob(SharedBytes bytes, NamedData named) {
  Blob blob{.bytes = formats::aligned_to_16(std::move(bytes.owner), bytes.bytes),
            .named = std::move(named)};
  Parts parts{blob.bytes.bytes, {}};
  if (identifier_of(blob.bytes.bytes) == "XH00") {
    auto split = split_header(blob.bytes.bytes);
    if (!split) return split.failure();
    parts = *split;
    blob.header = true;
  }
  blob.constants = parts.constants;
  if (parts.flatbuffer.size() < 8)
    return fail("{} bytes are too few for a graph", parts.flatbuffer.size());
  blob.identifier = identifier_of(parts.flatbuffer);
  if (blob.identifier != "XN00" && blob.identifier != "XN01")
    return fail("the identifier of the flatbuffer is {}, not XN00 or XN01",
                in_quotes(blob.identifier));
  if (reinterpret_cast<std::uintptr_t>(parts.flatbuffer.data()) % 16 != 0) {
    // The writer has not aligned it: the offsets within a copy are the same.
    auto copied = formats::aligned_to_16({}, parts.flatbuffer);
    auto both =
        std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(
            blob.bytes.owner, copied.owner);
    blob.bytes.owner = both;
    parts.flatbuffer = copied.bytes;
  }
  if (parts.flatbuffer.size() >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return fail("the flatbuffer has {} bytes, more than {}", parts.flatbuffer.size(),
                FLATBUFFERS_MAX_BUFFER_SIZE);
  fb::Verifier verifier = formats::verifier_of(parts.flatbuffer);
  if (!verifier.VerifyBuffer<xnn::Graph>(nullptr))
    return fail("the flatbuffer is broken: an offset or a size in it is out of its bounds");
  blob.graph = fb::GetRoot<xnn::Graph>(parts.flatbuffer.data());
  return blob;
}

Result<std::span<const std::byte>> constant_bytes(const Blob& blob, std::uint32_t index) {
  const auto* data = blob.graph->constant_data();
  const bool inside = !blob.header && size_of(blob.graph->constant_buffer()) > 0;
  if (size_of(data) == 0 || inside) {  // XN00
    const auto* buffers = blob.graph->constant_buffer();
    if (index >= size_of(buffers))
      return fail("its constant ({}) is not less than the number of constants ({})", index,
                  size_of(buffers));
    return std::as_bytes(elements_of(buffers->Get(index)->storage()));
  }
  if (index >= size_of(data))
    return fail("its constant ({}) is not less than the number of constants ({})", index,
                size_of(data));
  const xnn::ConstantDataOffset& at = *data->Get(index);
  if (const std::string_view key = text_of(at.named_key()); !key.empty()) {
    if (!blob.named)
      return Failure{
          "its constant lies under the key " + in_quotes(key) + " of a program, which is not there",
          ErrorName::DataError};
    return blob.named(key);
  }
  if (at.offset() > blob.constants.size() || at.size() > blob.constants.size() - at.offset())
    return fail("its constant ({}), {} bytes at {}, exceeds the {} bytes of constants", index,
                at.size(), at.offset(), blob.constants.size());
  return blob.constants.subspan(static_cast<std::size_t>(at.offset()),
                                static_cast<std::size_t>(at.size()));
}

std::vector<ValueName> value_names(const Blob& blob) {
  const auto count = size_of(blob.graph->constant_data());
  if (count < 2) return {};
  const xnn::ConstantDataOffset& last =
      *blob.graph->constant_data()->Get(static_cast<fb::uoffset_t>(count - 1));
  if (!text_of(last.named_key()).empty()) return {};
  auto found = constant_bytes(blob, static_cast<std::uint32_t>(count - 1));
  if (!found) return {};
  std::span<const std::byte> rest = *found;
  if (rest.size() < names_magic.size() ||
      std::memcmp(rest.data(), names_magic.data(), names_magic.size()) != 0)
    return {};
  rest = rest.subspan(names_magic.size());
  std::vector<ValueName> names;
  while (rest.size() >= 8) {
    const auto id = number_at<std::uint32_t>(rest, 0), size = number_at<std::uint32_t>(rest, 4);
    rest = rest.subspan(8);
    if (size > rest.size()) break;
    names.push_back({id, {reinterpret_cast<const char*>(rest.data()), size}});
    rest = rest.subspan(size);
  }
  return names;
}

}  // namespace webnn::inline v0_1::executorch
