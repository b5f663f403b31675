#include <cstring>

#include "src/formats/common/aligned.h"
#include "src/formats/common/budget.h"
#include "src/formats/common/failures.h"
#include "src/formats/common/json.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/nnrt/json.h"
#include "src/graph/failure.h"
#include "src/kernels/common/sizes.h"

namespace webnn::inline v0_1::nnrt {
namespace {

constexpr std::string_view magic = "NNRTMDL1";
constexpr std::size_t head = 16, alignment = 64;

std::uint64_t aligned(std::uint64_t size) { return round_up(size, alignment); }

[[noreturn]] void refuse(const Failure& f, std::string_view label) {
  raise(formats::data_error(f), "nnrt", label);
}

}  // namespace

ModelFile read_file(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                    std::string_view label, std::optional<std::uint64_t> max_bytes) {
  auto shared = formats::aligned_to_16(std::move(owner), bytes);
  bytes = shared.bytes;
  if (bytes.size() < head || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    refuse(fail("byte 0: the file does not begin with {}", magic), label);
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + 8, 8);
  if (size > bytes.size() - head)
    refuse(fail("byte 8: the length of the JSON ({}) exceeds the {} bytes of the file", size,
                bytes.size()),
           label);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + head,
                              static_cast<std::size_t>(size));
  const auto json = formats::read_json(
      text, {.max_bytes = formats::byte_limit(max_bytes, bytes.size()), .first_byte = head});
  if (!json) refuse(json.failure(), label);
  const std::uint64_t begin = std::min<std::uint64_t>(aligned(head + size), bytes.size());
  auto model = from_json(*json, shared.owner, bytes.subspan(static_cast<std::size_t>(begin)));
  if (!model) refuse(model.failure(), label);
  return std::move(*model);
}

Model read_model(std::shared_ptr<const void> owner, std::span<const std::byte> bytes,
                 std::string_view label) {
  return read_file(std::move(owner), bytes, label, ImportOptions().max_bytes).model;
}

Model read_model(std::span<const std::byte> bytes, std::string_view label) {
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  const std::span<const std::byte> view(*copy);
  return read_model(std::move(copy), view, label);
}

Model read_model(const Path& path) {
  auto file = formats::map_file(path);
  if (!file) raise(file.failure(), "nnrt", path);
  return read_model(std::move(file->owner), file->bytes, path);
}

std::vector<std::byte> write_model(const Model& model) {
  std::vector<Place> places;
  std::uint64_t end = 0;
  for (const Tensor& t : model.allTensors) {
    const std::uint64_t size = t.data ? t.data->bytes().size() : 0;
    places.push_back({end, size});
    end = aligned(end + size);
  }
  const auto written = formats::write_json(to_json(model, places));
  if (!written) raise(written.failure(), "nnrt");
  const std::string& text = *written;
  const std::uint64_t begin = aligned(head + text.size());
  std::vector<std::byte> out(static_cast<std::size_t>(begin + end));
  std::memcpy(out.data(), magic.data(), magic.size());
  const std::uint64_t size = text.size();
  std::memcpy(&out[8], &size, 8);
  std::memcpy(&out[head], text.data(), text.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].size > 0)
      std::memcpy(&out[static_cast<std::size_t>(begin + places[i].offset)],
                  model.allTensors[i].data->bytes().data(),
                  static_cast<std::size_t>(places[i].size));
  return out;
}

}  // namespace webnn::inline v0_1::nnrt
