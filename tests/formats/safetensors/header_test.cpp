#include "tests/formats/safetensors/bytes.h"

namespace webnn::inline v0_1::safetensors {
namespace {

/// Uses everything that a file offers; only DataErrors may come out of it.
void use(const File& file) {
  static volatile unsigned sum;
  const auto read = [](std::span<const std::byte> bytes) {
    for (std::byte b : bytes) sum = sum + static_cast<unsigned>(b);
  };
  for (const std::string& name : file.names()) {
    read(file.bytes(name));
    try {
      const Constant constant = file.constant(name);
      REQUIRE(byte_length(file.descriptor(name)) == constant.bytes().size());
      read(constant.bytes());
    } catch (const DataError&) { continue; }
  }
  for (const auto& [key, text] : file.metadata()) read(std::as_bytes(std::span(text)));
}

TEST_CASE("safetensors: the length of the header", "[safetensors]") {
  const auto with_length = [](std::uint64_t length) {
    Bytes bytes = file_of("{}", 0);
    std::memcpy(bytes.data(), &length, 8);
    return bytes;
  };
  CHECK(refusal(with_length(3)) == "the length (3) of the header exceeds the 2 bytes after it");
  CHECK(refusal(with_length(100'000'000)) ==
        "the length (100000000) of the header exceeds the 2 bytes after it");
  CHECK(refusal(with_length(100'000'001)) ==
        "the length (100000001) of the header is greater than 100000000");
  CHECK(refusal(with_length(UINT64_MAX)) ==
        "the length (18446744073709551615) of the header is greater than 100000000");
  CHECK(refusal(with_length(0)) == "the header does not begin with {");
  CHECK(refusal(Bytes(7)) == "7 bytes are too few for a header");
  CHECK(refusal(Bytes()) == "0 bytes are too few for a header");
}

TEST_CASE("safetensors: the header is one JSON object in UTF-8", "[safetensors]") {
  CHECK(refusal("[]", 0) == "the header does not begin with {");
  CHECK(refusal(" {}", 0) == "the header does not begin with {");
  CHECK(refusal("\xef\xbb\xbf{}", 0) == "the header does not begin with {");
  CHECK(refusal(std::string("{}\0\0", 4), 0) == "byte 2 of the header is zero");
  for (std::string_view text :
       {"{", "{}}", "{} {}", "{} x", "{,}", "{\"w\"}", "{\"w\":}", "{w:1}", "{'w':1}",
        "{\"w\":{\"dtype\":\"U8\"", "{\"a\xff\":1}", "{\"\xed\xa0\x80\":1}", "{\"\\ud800\":1}",
        "{\"\n\":1}", "{} // remark", "{\"w\":{\"dtype\":nan"}) {
    INFO(text);
    CHECK_THAT(refusal(text, 0), Catch::Matchers::StartsWith("the header is not JSON in UTF-8: "));
  }
}

TEST_CASE("safetensors: the header nests no deeper than the format", "[safetensors]") {
  const std::size_t depth = 1'000'000;
  std::string lists, objects = "{";
  for (std::size_t i = 0; i < depth; ++i) lists += '[', objects += "\"w\":{";
  CHECK(refusal("{\"w\":" + lists, 0) == "tensor \"w\": a list is not an object");
  CHECK(refusal(objects, 0) == "tensor \"w\": \"w\" is not a key of the format");
  CHECK(refusal("{\"w\":{\"shape\":" + lists, 0) ==
        "tensor \"w\": shape has a list, but should have only non-negative integers");
  CHECK(refusal("{\"__metadata__\":" + objects, 0) ==
        "__metadata__: \"w\": an object is not a string");
}

TEST_CASE("safetensors: keys occur once", "[safetensors]") {
  const std::string one = R"("w":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  CHECK(refusal("{" + one + "," + one + "}", 0) == "tensor \"w\": the name is given twice");
  CHECK(refusal(R"({"__metadata__":{},"__metadata__":{}})", 0) ==
        "__metadata__: the key is given twice");
  CHECK(refusal(R"({"__metadata__":{"a":"1","\u0061":"1"}})", 0) ==
        "__metadata__: \"a\": the key is given twice");
  CHECK(refusal(entry(R"("dtype":"U8","dtype":"U8","shape":[0],"data_offsets":[0,0])"), 0) ==
        "tensor \"w\": dtype is given twice");
  CHECK(refusal(entry(R"("dtype":"U8","shape":[0],"shape":[0],"data_offsets":[0,0])"), 0) ==
        "tensor \"w\": shape is given twice");
  CHECK(refusal(entry(R"("dtype":"U8","shape":[0],"data_offsets":[0,0],"data_offsets":[0,0])"),
                0) == "tensor \"w\": data_offsets is given twice");
}

TEST_CASE("safetensors: metadata maps texts to texts", "[safetensors]") {
  CHECK(refusal(R"({"__metadata__":{"a":"b"}})", 0).empty());
  CHECK(refusal(R"({"__metadata__":[]})", 0) == "__metadata__: a list is not an object");
  CHECK(refusal(R"({"__metadata__":{"a":1}})", 0) ==
        "__metadata__: \"a\": a number is not a string");
  CHECK(refusal(R"({"__metadata__":{"a":null}})", 0) ==
        "__metadata__: \"a\": null is not a string");
  CHECK(refusal(R"({"__metadata__":{"a":["b"]}})", 0) ==
        "__metadata__: \"a\": a list is not a string");
}

TEST_CASE("safetensors: the number of texts is bounded", "[safetensors]") {
  const auto texts = [](int count) {
    std::string out = "{\"__metadata__\":{\"0\":\"\"";
    for (int i = 1; i < count; ++i) out += ",\"" + std::to_string(i) + "\":\"\"";
    return out + "}}";
  };
  CHECK(refusal(texts(65'536), 0).empty());
  CHECK(refusal(texts(65'537), 0) == "__metadata__: \"65536\": there are more than 65536 texts");
}

TEST_CASE("safetensors: an entry has dtype, shape and data_offsets", "[safetensors]") {
  CHECK(refusal(R"({"w":[]})", 0) == "tensor \"w\": a list is not an object");
  CHECK(refusal(R"({"w":"U8"})", 0) == "tensor \"w\": a string is not an object");
  CHECK(refusal(R"({"w":true})", 0) == "tensor \"w\": a boolean is not an object");
  CHECK(refusal(entry(R"("shape":[0],"data_offsets":[0,0])"), 0) ==
        "tensor \"w\": dtype is missing");
  CHECK(refusal(entry(R"("dtype":"U8","data_offsets":[0,0])"), 0) ==
        "tensor \"w\": shape is missing");
  CHECK(refusal(entry(R"("dtype":"U8","shape":[0])"), 0) ==
        "tensor \"w\": data_offsets is missing");
  CHECK(refusal(entry(R"("dtype":"U8","shape":[0],"data_offsets":[0,0],"more":1)"), 0) ==
        "tensor \"w\": \"more\" is not a key of the format");
  // What one entry has does not count for the next.
  CHECK(refusal(R"({"v":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"w":{}})", 0) ==
        "tensor \"w\": dtype is missing");
}

TEST_CASE("safetensors: dtype is a word of the format", "[safetensors]") {
  CHECK(refusal(entry("float32", "[0]", "[0,0]"), 0) ==
        "tensor \"w\": dtype \"float32\" is not one of the format");
  CHECK(refusal(entry("", "[0]", "[0,0]"), 0) ==
        "tensor \"w\": dtype \"\" is not one of the format");
  CHECK(refusal(entry(R"("dtype":8,"shape":[0],"data_offsets":[0,0])"), 0) ==
        "tensor \"w\": dtype is a number, not a string");
  CHECK(refusal(entry(R"("dtype":["U8"],"shape":[0],"data_offsets":[0,0])"), 0) ==
        "tensor \"w\": dtype is a list, not a string");
}

TEST_CASE("safetensors: dimensions are non-negative integers", "[safetensors]") {
  struct Case {
    const char *value, *kind;
  };
  for (auto [value, kind] : {Case{"-1", "a negative number"},
                             {"-0", "a negative number"},
                             {"\"1\"", "a string"},
                             {"null", "null"},
                             {"true", "a boolean"},
                             {"[1]", "a list"},
                             {"{}", "an object"},
                             {"1.0", "a number that is not a 64-bit integer"},
                             {"1e0", "a number that is not a 64-bit integer"},
                             {"18446744073709551616", "a number that is not a 64-bit integer"}}) {
    const std::string v = value, in = "[1," + v + "]";
    CHECK(refusal(entry("U8", in, "[0,1]"), 1) ==
          "tensor \"w\": shape has " + std::string(kind) +
              ", but should have only non-negative integers");
    CHECK(refusal(entry("U8", "[1]", "[0," + v + "]"), 1) ==
          "tensor \"w\": data_offsets has " + std::string(kind) +
              ", but should have only non-negative integers");
  }
  CHECK(refusal(entry("U8", "1", "[0,1]"), 1) == "tensor \"w\": shape is a number, not a list");
  CHECK(refusal(entry("U8", "{}", "[0,1]"), 1) == "tensor \"w\": shape is an object, not a list");
  CHECK(refusal(entry("U8", "[1]", "1"), 1) ==
        "tensor \"w\": data_offsets is a number, not a list");
}

TEST_CASE("safetensors: the number of dimensions is bounded", "[safetensors]") {
  std::string shape = "[1";
  for (int i = 1; i < 64; ++i) shape += ",1";
  CHECK(refusal(entry("U8", shape + "]", "[0,1]"), 1).empty());
  CHECK(refusal(entry("U8", shape + ",1]", "[0,1]"), 1) ==
        "tensor \"w\": shape has more than 64 dimensions");
}

TEST_CASE("safetensors: data_offsets lie in the data, in order", "[safetensors]") {
  CHECK(refusal(entry("U8", "[4]", "[]"), 4) ==
        "tensor \"w\": data_offsets does not have two numbers");
  CHECK(refusal(entry("U8", "[4]", "[4]"), 4) ==
        "tensor \"w\": data_offsets does not have two numbers");
  CHECK(refusal(entry("U8", "[4]", "[0,4,4]"), 4) ==
        "tensor \"w\": data_offsets has more than two numbers");
  CHECK(refusal(entry("U8", "[4]", "[4,0]"), 4) ==
        "tensor \"w\": data_offsets [4, 0] end before they begin");
  CHECK(refusal(entry("U8", "[4]", "[0,4]"), 3) ==
        "tensor \"w\": data_offsets [0, 4] exceed the 3 bytes of data");
  CHECK(
      refusal(entry("U8", "[4]", "[18446744073709551611,18446744073709551615]"), 4) ==
      "tensor \"w\": data_offsets [18446744073709551611, 18446744073709551615] exceed the 4 bytes "
      "of data");
}

TEST_CASE("safetensors: data_offsets hold what the shape needs", "[safetensors]") {
  CHECK(refusal(entry("F32", "[10,10]", "[0,404]"), 404) ==
        "tensor \"w\": data_offsets [0, 404] hold 404 bytes, but shape [10, 10] of F32 needs 400");
  CHECK(refusal(entry("F32", "[]", "[0,3]"), 3) ==
        "tensor \"w\": data_offsets [0, 3] hold 3 bytes, but shape [] of F32 needs 4");
  CHECK(refusal(entry("F32", "[1,0]", "[0,4]"), 4) ==
        "tensor \"w\": data_offsets [0, 4] hold 4 bytes, but shape [1, 0] of F32 needs 0");
  CHECK(refusal(entry("F4", "[3]", "[0,2]"), 2) ==
        "tensor \"w\": shape [3] of F4 is not a whole number of bytes");
  // 2^32 * 2^32 is 0 in 64 bits, and so is 2^61 * 64.
  CHECK(refusal(entry("U8", "[4294967296,4294967296]", "[0,0]"), 0) ==
        "tensor \"w\": the size of shape [4294967296, 4294967296] exceeds 64 bits");
  CHECK(refusal(entry("F64", "[2305843009213693952]", "[0,0]"), 0) ==
        "tensor \"w\": the size of shape [2305843009213693952] exceeds 64 bits");
  CHECK(refusal(entry("U8", "[18446744073709551615]", "[0,0]"), 0) ==
        "tensor \"w\": the size of shape [18446744073709551615] exceeds 64 bits");
}

TEST_CASE("safetensors: tensors cover the data without overlap", "[safetensors]") {
  const auto two = [](std::string_view a, std::string_view b, std::size_t size) {
    return refusal(
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" + std::string(a) +
            "},\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" + std::string(b) + "}}",
        size);
  };
  CHECK(two("[0,4]", "[4,8]", 8).empty());
  CHECK(two("[4,8]", "[0,4]", 8).empty());
  CHECK(two("[0,4]", "[3,7]", 7) ==
        "tensor \"b\": data_offsets [3, 7] overlap tensor \"a\", which ends at 4");
  CHECK(two("[0,4]", "[0,4]", 4) ==
        "tensor \"b\": data_offsets [0, 4] overlap tensor \"a\", which ends at 4");
  CHECK(two("[0,4]", "[5,9]", 9) ==
        "tensor \"b\": data_offsets [5, 9] leave bytes 4 to 5 of the data without a tensor");
  CHECK(two("[1,5]", "[5,9]", 9) ==
        "tensor \"a\": data_offsets [1, 5] leave bytes 0 to 1 of the data without a tensor");
  CHECK(two("[0,4]", "[4,8]", 9) == "bytes 8 to 9 of the data belong to no tensor");
  CHECK(refusal("{}", 1) == "bytes 0 to 1 of the data belong to no tensor");
  const auto with_empty = [](std::string_view at) {
    return refusal(R"({"e":{"dtype":"F32","shape":[0],"data_offsets":)" + std::string(at) +
                       R"(},"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
                   4);
  };
  CHECK(with_empty("[0,0]").empty());
  CHECK(with_empty("[4,4]").empty());
  CHECK(with_empty("[2,2]") ==
        "tensor \"e\": data_offsets [2, 2] overlap tensor \"a\", which ends at 4");
}

TEST_CASE("safetensors: names in messages are escaped and cut", "[safetensors]") {
  CHECK(refusal("{\"a\\n\":1}", 0) == "tensor \"a\\u000a\": a number is not an object");
  const std::string dots(1000, 'x');
  CHECK(refusal("{\"" + dots + "\":1}", 0) ==
        "tensor \"" + dots.substr(0, 80) + "...\": a number is not an object");
  // Cut between characters.
  CHECK(refusal("{\"" + dots.substr(0, 79) + "\u20ac\u20ac\":1}", 0) ==
        "tensor \"" + dots.substr(0, 79) + "...\": a number is not an object");
}

TEST_CASE("safetensors: a file cut anywhere is refused", "[safetensors]") {
  const Bytes whole = write(two_tensors(), {{"k", "v"}});
  REQUIRE(refusal(whole).empty());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK_FALSE(
        refusal(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))).empty());
  }
  Bytes longer = whole;
  longer.push_back({});
  CHECK_FALSE(refusal(longer).empty());
}

TEST_CASE("safetensors: a header changed anywhere is refused or sound", "[safetensors]") {
  const Bytes whole = write(two_tensors(), {{"k", "v"}});
  const std::size_t header = whole.size() - 27;
  std::size_t refused = 0, accepted = 0;
  const auto attempt = [&](Bytes bytes) {
    try {
      use(File::from_bytes(std::move(bytes)));
      ++accepted;
    } catch (const DataError&) { ++refused; }
  };
  for (std::size_t i = 0; i < header; ++i) {
    for (int value = 0; value < 256; ++value) {
      Bytes changed = whole;
      changed[i] = static_cast<std::byte>(value);
      attempt(std::move(changed));
    }
    const auto at = static_cast<std::ptrdiff_t>(i);
    Bytes shorter = whole, longer = whole;
    shorter.erase(shorter.begin() + at);
    attempt(std::move(shorter));
    longer.insert(longer.begin() + at, longer[i]);
    attempt(std::move(longer));
    Bytes swapped = whole;
    std::swap(swapped[i], swapped[i + 1]);
    attempt(std::move(swapped));
  }
  CHECK(refused + accepted == header * 259);
  CHECK(accepted > header);  // at least every byte changed into itself
  CHECK(refused > header * 128);
}

}  // namespace
}  // namespace webnn::inline v0_1::safetensors
