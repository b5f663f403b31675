// .npy files: those that NumPy writes, and broken ones.
#include "tools/webnn/data/npy.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tools/webnn/common/exit.h"

namespace webnn::inline v0_1::tool {
namespace {

std::vector<std::byte> bytes_of(const std::string& s) {
  const auto b = std::as_bytes(std::span(s));
  return {b.begin(), b.end()};
}

/// A file as numpy.save() writes it: version 1.0, padded to 64 bytes.
std::vector<std::byte> file(const std::string& header, const std::string& data, char version = 1) {
  std::string s = "\x93NUMPY";
  s += {version, 0};
  std::string h = header;
  const std::size_t front = version == 1 ? 10 : 12;
  h.resize((front + h.size() + 1 + 63) / 64 * 64 - front - 1, ' ');
  h += '\n';
  for (std::size_t i = 0; i < front - 8; ++i) s += static_cast<char>(h.size() >> 8 * i & 255);
  return bytes_of(s + h + data);
}
std::string header(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

TEST_CASE("npy: what NumPy writes") {
  const float v[] = {1.5f, -2, 3};
  const std::string data(reinterpret_cast<const char*>(v), sizeof v);
  for (char version : {1, 2, 3}) {
    const auto bytes = file(header("<f4", "(1, 3)"), data, version);
    const Array a = parse_npy(bytes, "x");
    CHECK(a.type() == "float32");
    CHECK(a.shape == std::vector<std::uint64_t>{1, 3});
    REQUIRE(a.count == 3);
    CHECK(a.at(0) == 1.5);
    CHECK(a.at(1) == -2);
  }
  const auto scalar = file(header("<i8", "()"), std::string("\xfe\xff\xff\xff\xff\xff\xff\xff", 8));
  CHECK(parse_npy(scalar, "x").at(0) == -2);
  const auto flags = file(header("|b1", "(2,)"), std::string("\1\0", 2));
  CHECK(parse_npy(flags, "x").at(0) == 1);
  CHECK(parse_npy(flags, "x").type() == "bool");
  const auto half = file(header("<f2", "(1,)"), std::string("\x00\x3e", 2));
  CHECK(parse_npy(half, "x").at(0) == 1.5);
  const auto wide = file(header("<f8", "(1,)"), std::string("\0\0\0\0\0\0\xf8\x3f", 8));
  CHECK(parse_npy(wide, "x").at(0) == 1.5);
  const auto small = file(header("<u2", "(1,)"), std::string("\xff\xff", 2));
  CHECK(parse_npy(small, "x").at(0) == 65535);
  const auto none = file(header("<f4", "(0, 3)"), "");
  CHECK(parse_npy(none, "x").count == 0);
}

TEST_CASE("npy: the bits of bfloat16 and float8e4m3, as NumPy writes those of ml_dtypes") {
  const auto bits = file(header("<V2", "(2,)"), std::string("\x80\x3f\x40\xc0", 4));
  CHECK(parse_npy(bits, "x").type() == "bfloat16");
  CHECK(parse_npy(bits, "x").count == 2);
  CHECK(parse_npy(file(header("|V1", "(2,)"), "ab"), "x").type() == "float8e4m3");
  for (const auto& [type, word] : {std::pair(bfloat16, "'<V2'"), {float8e4m3, "'|V1'"}}) {
    const MLOperandDescriptor d{type, {4}};
    std::vector<std::byte> elements(byte_length(d));
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::byte>(i);
    const std::vector<std::byte> written = npy_of(d, elements);
    const std::string_view text(reinterpret_cast<const char*>(written.data()), written.size());
    CHECK(text.find(word) != std::string_view::npos);
    const Array again = parse_npy(written, "x");
    CHECK(again.type() == name_of(type));
    CHECK(std::ranges::equal(again.bytes, elements));
  }
}

TEST_CASE("npy: what is refused") {
  const auto refused = [](const std::vector<std::byte>& bytes, const std::string& part) {
    try {
      parse_npy(bytes, "x.npy");
    } catch (const CommandError& e) {
      INFO(e.what());
      CHECK(std::string(e.what()).find(part) != std::string::npos);
      CHECK(std::string(e.what()).find("x.npy: ") == 0);
      return;
    }
    FAIL("accepted, but not: " << part);
  };
  const std::string four(4, '\0');
  refused(bytes_of(""), "is not a .npy file");
  refused(bytes_of("\x93NUMPX\1\0\0\0\0\0"), "is not a .npy file");
  refused(file(header("<f4", "(1,)"), four, 4), "version 4");
  refused(file(header(">f4", "(1,)"), four), "the type >f4");
  refused(file(header("<c8", "(1,)"), four), "the type <c8");
  refused(file(header("|O", "(1,)"), four), "the type |O");
  refused(file(header("<f4", "(2,)"), four), "4 bytes follow");
  refused(file(header("<f4", "(1,)"), four + four), "8 bytes follow");
  refused(file(header("<f4", "(4294967296, 4294967296, 1)"), four), "4 bytes follow");
  refused(file(header("<f4", "(99999999999999999999,)"), four), "not a number of 64 bits");
  refused(file(header("<f4", "(-1,)"), four), "not a number of 64 bits");
  refused(file("{'descr': '<f4', 'fortran_order': True, 'shape': (1,)}", four), "fortran_order");
  refused(file("{'descr': '<f4', 'fortran_order': No, 'shape': (1,)}", four), "neither True");
  refused(file("{'descr': '<f4', 'shape': (1,)}", four), "lacks");
  refused(file("{'descr': '<f4', 'descr': '<f4'}", four), "repeated key");
  refused(file("{'descr': '<f4', 'evil': 1}", four), "unknown or repeated key evil");
  refused(file(header("<f4", "(1,)") + " x", four), "continues after");
  refused(file("[]", four), "has no '{'");
  refused(file("{'descr: ", four), "without an end");
}

TEST_CASE("npy: files cut short and changed at random do no harm") {
  const auto good = file(header("<f4", "(2, 3)"), std::string(24, 'x'));
  const auto read = [](std::span<const std::byte> bytes) {
    try {
      const Array a = parse_npy(bytes, "x");
      double sum = 0;
      for (std::uint64_t i = 0; i < a.count; ++i) sum += a.at(i);
      return sum;
    } catch (const CommandError&) { return 0.0; }
  };
  for (std::size_t n = 0; n <= good.size(); ++n) {
    const std::vector<std::byte> part(good.begin(), good.begin() + static_cast<long>(n));
    read(part);
  }
  test::Random random(7);
  for (int round = 0; round < 20000; ++round) {
    auto bytes = good;
    for (std::uint32_t k = random.integer(1, 4); k > 0; --k)
      bytes[random.integer(0, static_cast<std::uint32_t>(bytes.size()) - 1)] =
          static_cast<std::byte>(random.integer(0, 255));
    read(bytes);
  }
}

TEST_CASE("npy: what is written can be read, and is aligned") {
  const std::int32_t v[] = {1, -2, 3, 4, 5, 6};
  const auto bytes = npy_of({int32, {2, 3}}, std::as_bytes(std::span(v)));
  const Array a = parse_npy(bytes, "x");
  CHECK(a.type() == "int32");
  CHECK(a.shape == std::vector<std::uint64_t>{2, 3});
  CHECK(a.at(1) == -2);
  CHECK((bytes.size() - sizeof v) % 64 == 0);
  CHECK(parse_npy(npy_of({int32, {}}, std::as_bytes(std::span(v, 1))), "x").shape.empty());
  CHECK(parse_npy(npy_of({int32, {6}}, std::as_bytes(std::span(v))), "x").shape.size() == 1);
  const std::byte nibbles[] = {std::byte{0xf1}, std::byte{0x07}};
  const auto four = npy_of({int4, {3}}, nibbles);
  const Array n = parse_npy(four, "x");
  CHECK(n.type() == "int8");
  CHECK(n.at(0) == 1);
  CHECK(n.at(1) == -1);
  CHECK(n.at(2) == 7);
}

}  // namespace
}  // namespace webnn::inline v0_1::tool
