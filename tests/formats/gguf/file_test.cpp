#include "tests/formats/gguf/writer.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_file.h"
#include "tests/support/thrown.h"
#include "webnn/error.h"

#include <filesystem>
#include <fstream>

namespace webnn::inline v0_1::gguf {
namespace {

using test::thrown;

Bytes bytes_of(const std::vector<float>& values) {
  const auto b = std::as_bytes(std::span(values));
  return {b.begin(), b.end()};
}

/// Why the bytes are refused; empty when they are not.
std::string refusal(Bytes bytes) {
  try {
    File::from_bytes(std::move(bytes), "a.gguf");
  } catch (const DataError& e) {
    CHECK(e.op() == "gguf");
    CHECK(e.label() == "a.gguf");
    return e.reason();
  }
  return {};
}
std::string refusal(const Writer& w) { return refusal(w.bytes()); }

Writer small_file() {
  Writer w;
  w.value("general.architecture", std::string("llama"))
      .value("u8", std::uint8_t{200})
      .value("i8", std::int8_t{-3})
      .value("u16", std::uint16_t{60000})
      .value("i16", std::int16_t{-300})
      .value("u32", std::uint32_t{4000000000u})
      .value("i32", std::int32_t{-70000})
      .value("f32", 0.5f)
      .value("yes", true)
      .value("u64", std::uint64_t{1} << 63)
      .value("i64", std::int64_t{-1} << 40)
      .value("f64", 0.1)
      .array("tokens", std::vector<std::string>{"a", "", "b c"})
      .array("scores", std::vector<float>{1, -2})
      .array("types", std::vector<std::int32_t>{1, 3})
      .tensor("w", TensorType::F32, {2, 3}, bytes_of({1, 2, 3, 4, 5, 6}))
      .tensor("scalar", TensorType::F32, {}, bytes_of({7}))
      .tensor("none", TensorType::F16, {0, 4}, {});
  return w;
}

TEST_CASE("gguf: BF16 is bfloat16") {
  Writer w;
  w.value("general.architecture", std::string("llama"));
  const std::uint16_t bits[] = {0x3f80, 0xc000};
  const auto bytes = std::as_bytes(std::span(bits));
  w.tensor("h", TensorType::BF16, {2}, Bytes(bytes.begin(), bytes.end()));
  const File file = File::from_bytes(w.bytes(), "a.gguf");
  CHECK(file.descriptor("h") == MLOperandDescriptor{bfloat16, {2}});
  CHECK(std::ranges::equal(file.constant("h").bytes(), bytes));
}

TEST_CASE("gguf: metadata has its types") {
  for (const std::uint32_t version : {2u, 3u}) {
    Writer w = small_file();
    w.version = version;
    const File file = File::from_bytes(w.bytes(), "a.gguf");
    CHECK(file.version() == version);
    CHECK(file.alignment() == 32);
    CHECK(file.metadata().size() == 15);
    CHECK(file.metadata()[1].key == "u8");
    CHECK(file.text("general.architecture") == "llama");
    CHECK(file.integer("u8") == 200);
    CHECK(file.integer("u16") == 60000);
    CHECK(file.integer("u32") == 4000000000u);
    CHECK(file.integer("u64") == std::uint64_t{1} << 63);
    CHECK(std::get<std::int8_t>(*file.find("i8")) == -3);
    CHECK(std::get<std::int16_t>(*file.find("i16")) == -300);
    CHECK(file.number("i32") == -70000.0);
    CHECK(file.number("i64") == -0x1p40);
    CHECK(file.number("f32") == 0.5);
    CHECK(file.number("f64") == 0.1);
    CHECK(file.boolean("yes") == true);
    const auto tokens = file.texts("tokens").value();
    CHECK(std::vector<std::string>(tokens.begin(), tokens.end()) ==
          std::vector<std::string>{"a", "", "b c"});
    CHECK(file.floats("scores").value()[1] == -2);
    CHECK(file.integers("types").value()[1] == 3);
    CHECK_FALSE(file.find("absent"));
    CHECK_FALSE(file.text("absent"));
    CHECK_FALSE(file.texts("absent"));
    CHECK_FALSE(file.integer("absent"));
  }
}

TEST_CASE("gguf: a value of another kind is refused") {
  const File file = File::from_bytes(small_file().bytes(), "a.gguf");
  const std::string begin = "DataError gguf [a.gguf]: ";
  CHECK(thrown([&] { file.integer("i8"); }) ==
        begin + "\"i8\": the value is not a non-negative integer.");
  CHECK(thrown([&] { file.integer("f32"); }) ==
        begin + "\"f32\": the value is not a non-negative integer.");
  CHECK(thrown([&] { file.integer("yes"); }) ==
        begin + "\"yes\": the value is not a non-negative integer.");
  CHECK(thrown([&] { file.number("tokens"); }) == begin + "\"tokens\": the value is not a number.");
  CHECK(thrown([&] { file.boolean("u8"); }) == begin + "\"u8\": the value is not a bool.");
  CHECK(thrown([&] { file.text("u8"); }) == begin + "\"u8\": the value is not a string.");
  CHECK(thrown([&] { file.texts("scores"); }) ==
        begin + "\"scores\": the value is not an array of type string.");
  CHECK(thrown([&] { file.floats("u8"); }) ==
        begin + "\"u8\": the value is not an array of type float32.");
  CHECK(thrown([&] { file.integers("scores"); }) ==
        begin + "\"scores\": the value is not an array of type int32.");
}

TEST_CASE("gguf: tensors") {
  const File file = File::from_bytes(small_file().bytes(), "a.gguf");
  REQUIRE(file.tensors().size() == 3);
  CHECK(file.tensors()[0].name == "w");
  CHECK(file.info("w").shape == std::vector<std::uint64_t>{2, 3});
  CHECK(file.bytes("w").size() == 24);
  CHECK(file.dequantized("w") == std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(file.dequantized("scalar") == std::vector<float>{7});
  CHECK(file.dequantized("none").empty());
  CHECK(file.descriptor("w") == MLOperandDescriptor{float32, {2, 3}});
  CHECK(file.constant("w").bytes().size() == 24);
  CHECK(file.contains("scalar"));
  CHECK_FALSE(file.contains("sc"));
  CHECK(thrown([&] { file.info("x"); }) ==
        "DataError gguf [a.gguf]: tensor \"x\": there is no tensor of that name.");
  CHECK_THAT(thrown([&] { file.descriptor("none"); }), ContainsSubstring("DataError"));
}

TEST_CASE("gguf: types that are kept as they are") {
  Writer w;
  w.tensor("k", TensorType::Q3_K, {2, 256}, Bytes(220));
  w.tensor("i", TensorType::I8, {3}, Bytes(3));
  const File file = File::from_bytes(w.bytes(), "a.gguf");
  CHECK(file.bytes("k").size() == 220);
  CHECK(thrown([&] { file.descriptor("k"); }) ==
        "DataError gguf [a.gguf]: tensor \"k\": type Q3_K is not a data type of WebNN.");
  CHECK(thrown([&] { file.dequantized("k"); }) ==
        "NotSupportedError gguf [a.gguf]: tensor \"k\": type Q3_K is not dequantized.");
  CHECK(file.descriptor("i") == MLOperandDescriptor{int8, {3}});
  CHECK(thrown([] { name_of(static_cast<TensorType>(4)); }) ==
        "TypeError gguf: 4 is not a type of tensors.");
}

TEST_CASE("gguf: another alignment") {
  Writer w;
  w.alignment = 128;
  w.value("general.alignment", std::uint32_t{128});
  w.tensor("a", TensorType::F32, {1}, bytes_of({1}))
      .tensor("b", TensorType::F32, {1}, bytes_of({2}));
  const File file = File::from_bytes(w.bytes(), "a.gguf");
  CHECK(file.alignment() == 128);
  CHECK(file.info("b").begin == 128);
  CHECK(file.dequantized("b") == std::vector<float>{2});
}

TEST_CASE("gguf: a mapped file") {
  const test::TemporaryFile temporary;
  const Bytes bytes = small_file().bytes();
  std::ofstream(temporary.path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const Constant constant = File::open(temporary.path).constant("w");  // outlives the file
  float last = 0;
  std::memcpy(&last, constant.bytes().data() + 20, 4);
  CHECK(last == 6);
  CHECK_THAT(thrown([] { File::open("/nowhere/a.gguf"); }), ContainsSubstring("DataError gguf"));
}

TEST_CASE("gguf: hostile headers") {
  CHECK(refusal(Bytes{}) == "the file does not begin with GGUF");
  CHECK(refusal(Bytes(100)) == "the file does not begin with GGUF");
  Writer w;
  w.version = 1;
  CHECK(refusal(w) == "version 1 of the format is not read; versions 2 and 3 are");
  w.version = 0x03000000;
  CHECK(refusal(w) == "the file is big-endian; little-endian files are read");
  w = {};
  w.entry_count = 1;
  CHECK(refusal(w) ==
        "1 entries of metadata do not fit into the 0 bytes after the header's counts");
  w.entry_count = UINT64_MAX;
  CHECK_THAT(refusal(w), ContainsSubstring("18446744073709551615 entries"));
  w = {};
  w.tensor_count = UINT64_MAX / 2;
  CHECK_THAT(refusal(w), ContainsSubstring("9223372036854775807 tensors"));
  // Every beginning of a file is refused, as its tensors are missing.
  const Bytes whole = small_file().bytes();
  for (std::size_t n = 0; n < whole.size(); ++n)
    CHECK(refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n))) != "");
  CHECK(refusal(whole) == "");
}

TEST_CASE("gguf: hostile metadata") {
  CHECK(refusal(Writer().value("", std::uint64_t{1})) ==
        "entry 0 of the metadata: the key is empty");
  CHECK(refusal(Writer().value(std::string(65536, 'k'), std::uint8_t{1})) ==
        "entry 0 of the metadata: the key has 65536 bytes, more than 65535");
  CHECK(refusal(Writer().value("k", std::uint8_t{1}).value("j", 1.f).value("k", true)) ==
        "the key \"k\" is given twice");
  Bytes bytes;
  put(bytes, std::uint32_t{13});
  put(bytes, std::uint64_t{0});
  CHECK(refusal(Writer().raw("k", bytes)) == "\"k\": 13 is not a type of metadata");
  bytes.clear();
  put(bytes, std::uint32_t{7});
  put(bytes, std::uint8_t{2});
  CHECK(refusal(Writer().raw("k", bytes)) == "\"k\": a bool is 2, not 0 or 1");
  bytes.clear();
  put(bytes, std::uint32_t{8});
  put(bytes, UINT64_MAX);
  CHECK(refusal(Writer().raw("k", bytes)) ==
        "\"k\": a text of 18446744073709551615 bytes exceeds the 0 bytes that follow it");
  for (const std::uint32_t type : {0u, 3u, 7u, 8u, 9u, 12u}) {
    bytes.clear();
    put(bytes, std::uint32_t{9});
    put(bytes, type);
    put(bytes, std::uint64_t{1} << 62);
    bytes.resize(bytes.size() + 64);
    CHECK_THAT(refusal(Writer().raw("k", bytes)), ContainsSubstring("\"k\": an array of"));
  }
  for (const std::uint32_t alignment : {0u, 3u, 48u})
    CHECK_THAT(refusal(Writer().value("general.alignment", alignment)),
               ContainsSubstring("is not a power of two"));
  CHECK(refusal(Writer().value("general.alignment", std::uint64_t{32})) ==
        "\"general.alignment\": the value is not of type uint32");
}

TEST_CASE("gguf: arrays in arrays") {
  const auto nested = [](int depth) {
    Bytes bytes;
    for (int i = 0; i < depth; ++i) {
      put(bytes, std::uint32_t{9});
      if (i > 0) put(bytes, std::uint64_t{1});
    }
    put(bytes, std::uint32_t{0});
    put(bytes, std::uint64_t{0});
    return Writer().raw("k", bytes);
  };
  const File file = File::from_bytes(nested(4).bytes());
  CHECK(std::get<9>(*file.find("k"))->size() == 1);
  CHECK(refusal(nested(5)) == "\"k\": arrays are more than 4 deep");
  CHECK(refusal(nested(100'000)) == "\"k\": arrays are more than 4 deep");
}

TEST_CASE("gguf: hostile tensors") {
  const auto with = [](std::string_view name, std::uint32_t type,
                       const std::vector<std::uint64_t>& shape, std::uint64_t offset) {
    Writer w;
    w.tensor("first", TensorType::F32, {16}, Bytes(64)).describe(name, type, shape, offset);
    return refusal(w);
  };
  CHECK(with("b", 0, {0}, 64) == "");
  CHECK(with("", 0, {1}, 0) == "tensor 1: the name is empty");
  CHECK(with(std::string(65, 'n'), 0, {1}, 0) == "tensor 1: the name has 65 bytes, more than 64");
  CHECK(with("b", 0, {1, 1, 1, 1, 1}, 0) == "\"b\": the tensor has 5 dimensions, more than 4");
  CHECK(with("b", 4, {32}, 0) == "\"b\": 4 is not a type of tensors");
  CHECK(with("b", 1000, {32}, 0) == "\"b\": 1000 is not a type of tensors");
  CHECK(with("b", 12, {4, 128}, 0) ==
        "\"b\": the last dimension of shape [4, 128] is not a multiple of 256, the block of Q4_K");
  CHECK(with("b", 2, {}, 0) ==
        "\"b\": the last dimension of shape [] is not a multiple of 32, the block of Q4_0");
  CHECK_THAT(with("b", 0, {1ull << 32, 1ull << 32}, 0), ContainsSubstring("exceeds 64 bits"));
  CHECK_THAT(with("b", 0, {0, 1ull << 63, 4}, 0), ContainsSubstring("exceeds 64 bits"));
  CHECK_THAT(with("b", 0, {1}, UINT64_MAX - 3), ContainsSubstring("exceeds 64 bits"));
  CHECK(with("b", 0, {1}, 48) ==
        "tensor \"b\": its offset (48) is not a multiple of the alignment (32)");
  CHECK(with("b", 0, {1}, 64) == "tensor \"b\": bytes 64 to 68 exceed the 64 bytes of data");
  CHECK(with("b", 0, {1}, 32) ==
        "tensor \"b\": bytes 32 to 36 overlap tensor \"first\", which ends at 64");
  CHECK(with("first", 0, {0}, 64) == "the name of tensor \"first\" is given twice");
}

}  // namespace
}  // namespace webnn::inline v0_1::gguf
