#include "src/formats/tflite/import/file.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "src/formats/common/aligned.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

namespace {

const schema::Model* verified(const File& file) {
  const auto bytes = file.bytes;
  if (bytes.size() < 8) refuse(file, fail("{} bytes are too few for a model", bytes.size()));
  if (std::memcmp(bytes.data() + 4, schema::ModelIdentifier(), 4) != 0)
    refuse(file, fail("bytes 4 to 7 are not {}", schema::ModelIdentifier()));
  // The flatbuffer is the first part of a larger file, and buffers follow it.
  const std::size_t size = std::min<std::size_t>(bytes.size(), FLATBUFFERS_MAX_BUFFER_SIZE - 1);
  fb::Verifier verifier = formats::verifier_of(bytes.first(size));
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
  // What the format's `force_align` asks for.
  auto aligned = formats::aligned_to_16(std::move(owner), bytes);
  File file{std::move(aligned.owner), aligned.bytes, std::string(label)};
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

}  // namespace webnn::inline v0_1::tflite
