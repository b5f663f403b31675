// libFuzzer: any bytes are read or refused, and what they hold can be used.
#include "webnn/gguf.h"
#include "webnn/webnn.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace webnn;
  static MLContext context({.threads = 1, .backends = {"reference"}});
  try {
    const auto file = gguf::File::from_bytes(std::vector(
        reinterpret_cast<const std::byte*>(data), reinterpret_cast<const std::byte*>(data) + size));
    MLGraphBuilder builder(context);
    for (const gguf::MetadataEntry& entry : file.metadata()) try {
        file.number(entry.key);
      } catch (const DataError&) {}
    for (const gguf::TensorInfo& t : file.tensors()) {
      if (gguf::can_dequantize(t.type)) file.dequantized(t.name);
      try {
        builder.constant(file.descriptor(t.name), file.constant(t.name));
      } catch (const Error&) {}
    }
  } catch (const Error&) {}
  return 0;
}
