// Files of the library's own writer: one for each data type, and the smallest ones.
#include "tests/fuzz/seeds.h"
#include "webnn/safetensors.h"
#include "webnn/webnn.h"

void webnn::fuzz::write_seeds(const std::filesystem::path& folder) {
  const std::vector<std::byte> values(64, std::byte{1});
  for (const MLOperandDataType type :
       {float32, float16, int32, uint32, int64, uint64, int8, uint8, bfloat16, float8e4m3}) {
    const auto width = static_cast<std::uint32_t>(64 / (bits_of(type) / 8));
    write_seed(folder / name_of(type), safetensors::write({{"a", {type, {width}}, values},
                                                           {"b.c", {type, {2, width / 2}}, values}},
                                                          {{"made by", "libwebnn"}}));
  }
  write_seed(folder / "scalar",
             safetensors::write({{"s", {uint8, {}}, std::span(values).first(1)}}));
  write_seed(folder / "empty", safetensors::write(ListView<safetensors::NamedValues>{}));
}
