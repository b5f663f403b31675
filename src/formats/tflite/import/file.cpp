#include "src/formats/tflite/import/file.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace webnn::tflite {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

namespace {

constexpr std::size_t max_depth = 32;  // of tables in tables; the schema has 5
constexpr std::size_t alignment = 16;  // what the format's `force_align` asks for

const schema::Model* verified(const File& file) {
  const auto bytes = file.bytes;
  if (bytes.size() < 8) refuse(file, fail("{} bytes are too few for a model", bytes.size()));
  if (std::memcmp(bytes.data() + 4, schema::ModelIdentifier(), 4) != 0)
    refuse(file, fail("bytes 4 to 7 are not {}", schema::ModelIdentifier()));
  // Of a larger file the flatbuffer is the first part, and buffers follow it.
  const std::size_t size = std::min<std::size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  // A table has more than four bytes. More tables than that are the same ones seen many times.
  fb::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), size, max_depth,
                        static_cast<fb::uoffset_t>(size / 4 + 64));
  if (!schema::VerifyModelBuffer(verifier))
    refuse(file, fail("the flatbuffer is broken: an offset or a size in it is out of its bounds"));
  return schema::GetModel(bytes.data());
}

}  // namespace

void refuse(const File& file, const Failure& f) {
  raise({f.message, ErrorName::DataError}, "tflite", file.label);
}
void unsupported(const File& file, const Failure& f) {
  raise({f.message, ErrorName::NotSupportedError}, "tflite", file.label);
}

File open_file(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
               std::string_view label) {
  File file{std::move(owner), bytes, std::string(label)};
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) {
    struct alignas(alignment) Block {
      std::byte bytes[alignment];
    };
    auto copy = std::make_shared<std::vector<Block>>(bytes.size() / alignment + 1);
    std::memcpy(copy->data(), bytes.data(), bytes.size());
    file.bytes = {copy->data()->bytes, bytes.size()};
    file.owner = std::move(copy);
  }
  file.model = verified(file);
  if (file.model->version() != 3)
    refuse(file, fail("the version ({}) of the format is not 3", file.model->version()));
  if (size_of(file.model->subgraphs()) == 0) refuse(file, fail("there is no subgraph"));
  return file;
}

Result<std::span<const std::byte>> buffer_bytes(const File& file, std::uint32_t index) {
  const auto* buffers = file.model->buffers();
  if (index >= size_of(buffers)) {
    if (index == 0) return std::span<const std::byte>();
    return fail("its buffer ({}) is not less than the number of buffers ({})", index,
                size_of(buffers));
  }
  const schema::Buffer& buffer = *buffers->Get(index);
  const std::uint64_t begin = buffer.offset(), size = buffer.size();
  if (begin > 1) {
    if (begin > file.bytes.size() || size > file.bytes.size() - begin)
      return fail("its buffer ({}), {} bytes at {}, exceeds the {} bytes of the file", index, size,
                  begin, file.bytes.size());
    return file.bytes.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
  }
  return std::as_bytes(elements_of(buffer.data()));
}

std::string_view text_of(const fb::String* s) {
  return s ? std::string_view(s->c_str(), s->size()) : std::string_view();
}

}  // namespace webnn::tflite
