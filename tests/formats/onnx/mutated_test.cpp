// Mutated models: whatever the bytes are, they are imported or refused. The fuzzer does the same
// for longer (tests/fuzz/onnx.cpp).
#include <random>

#include "tests/formats/onnx/cases.h"
#include "tests/fuzz/protobuf.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx::test;

namespace {

/// Changes some bytes, as libFuzzer's function does.
std::size_t change_bytes(std::uint8_t* data, std::size_t size, std::size_t max) {
  static std::mt19937 random(3);
  if (size < max && random() % 4 == 0) data[size++] = static_cast<std::uint8_t>(random());
  for (unsigned i = 0; size > 0 && i < 1 + random() % 3; ++i)
    data[random() % size] = static_cast<std::uint8_t>(random());
  return size;
}

}  // namespace

TEST_CASE("onnx: mutated models are imported or refused") {
  const auto cases = all_cases();
  std::mt19937 random(5);
  std::size_t imported = 0, refused = 0;
  for (int round = 0; round < 4000; ++round) {
    auto file = cases[random() % cases.size()].writer.file();
    std::size_t size = file.size();
    file.resize(size + 256);
    for (unsigned i = 0; i < 1 + random() % 4; ++i)
      size = fuzz::mutate_protobuf(reinterpret_cast<std::uint8_t*>(file.data()), size, file.size(),
                                   static_cast<unsigned>(random()), &change_bytes);
    file.resize(size);
    const std::string message = refusal(file, {.max_bytes = 1 << 16});
    INFO(round << ": " << message);
    if (message == "nothing") ++imported;
    else ++refused;
    CHECK(!message.starts_with("std::exception"));
    CHECK(!message.starts_with("Error"));
  }
  CHECK(imported > 100);
  CHECK(refused > 100);
}
