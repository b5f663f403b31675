#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/formats/safetensors/bytes.h"

namespace webnn::inline v0_1::safetensors {
namespace {

/// A folder of its own for each test case, removed after it.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "webnn_safetensors_test";
  Folder() {
    path += std::to_string(::getpid());
    std::filesystem::create_directories(path);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path operator/(const char* name) const { return path / name; }
};

std::vector<float> floats(std::span<const std::byte> bytes) {
  std::vector<float> out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

template <class F> std::string reason_of(F f) {
  try {
    f();
  } catch (const DataError& e) { return e.reason(); }
  return {};
}

TEST_CASE("safetensors: what is written is read", "[safetensors]") {
  const File file =
      File::from_bytes(write(two_tensors(), {{"author", "ich"}, {"Gr\u00f6\u00dfe", ""}}));
  // Wide elements come first.
  CHECK(file.names() == std::vector<std::string>{"conv1.w", "labels"});
  CHECK(file.contains("labels"));
  CHECK_FALSE(file.contains("label"));
  CHECK(file.metadata() == Metadata{{"author", "ich"}, {"Gr\u00f6\u00dfe", ""}});
  CHECK(file.info("conv1.w").dtype == "F32");
  CHECK(file.info("conv1.w").shape == std::vector<std::uint64_t>{2, 3});
  CHECK(file.descriptor("conv1.w") == MLOperandDescriptor{float32, {2, 3}});
  CHECK(file.descriptor("labels") == MLOperandDescriptor{uint8, {3}});
  CHECK(floats(file.constant("conv1.w").bytes()) == six);
  CHECK(floats(file.bytes("conv1.w")) == six);
  CHECK(std::ranges::equal(file.constant("labels").bytes(), std::as_bytes(std::span(three))));
}

TEST_CASE("safetensors: every data type goes through a file", "[safetensors]") {
  const Bytes raw(24, std::byte{5});
  for (auto type :
       {float32, float16, int32, uint32, int64, uint64, int8, uint8, bfloat16, float8e4m3}) {
    const auto count = static_cast<std::uint32_t>(24 * 8 / bits_of(type));
    const MLOperandDescriptor d{type, {count}};
    const File file = File::from_bytes(write({{"a", {uint8, {24}}, raw}, {"w", d, raw}}));
    CHECK(file.descriptor("w") == d);
    CHECK(std::ranges::equal(file.constant("w").bytes(), raw));
  }
}

TEST_CASE("safetensors: the names of bfloat16 and float8e4m3", "[safetensors]") {
  const std::uint8_t bits[] = {0x38, 0xfe};
  const File file = File::from_bytes(
      write({{"half", {bfloat16, {1}}, bits}, {"quarter", {float8e4m3, {2}}, bits}}));
  CHECK(file.info("half").dtype == "BF16");
  CHECK(file.info("quarter").dtype == "F8_E4M3");
  const Constant quarter = file.constant("quarter");
  CHECK(float8e4m3_value(std::to_integer<std::uint8_t>(quarter.bytes()[1])) == -448);
}

TEST_CASE("safetensors: scalars, no tensors, odd names", "[safetensors]") {
  const float pi = 3.14159f;
  const File file = File::from_bytes(write({{"", {float32, {}}, std::span(&pi, 1)}}));
  CHECK(file.descriptor("") == MLOperandDescriptor{float32, {}});
  CHECK(floats(file.bytes("")) == std::vector{pi});
  const File empty = File::from_bytes(write({}));
  CHECK(empty.names().empty());
  CHECK(empty.metadata().empty());
  CHECK(refusal("{}", 0).empty());
  CHECK(refusal("{}   ", 0).empty());
  const std::string name = "\"\\\n\u20ac\x01";
  CHECK(File::from_bytes(write({{name, {uint8, {3}}, three}})).contains(name));
}

TEST_CASE("safetensors: a mapped file is shared and outlives its handle", "[safetensors]") {
  const Folder folder;
  write(folder / "net.safetensors", two_tensors());
  std::optional<File> file = File::open(folder / "net.safetensors");
  const Constant w = file->constant("conv1.w");
  CHECK(w.bytes().data() == file->bytes("conv1.w").data());
  CHECK(w.bytes().data() == file->constant("conv1.w").bytes().data());
  CHECK(reinterpret_cast<std::uintptr_t>(w.bytes().data()) % 64 == 0);
  file.reset();
  // Replacing the file does not change what is mapped.
  write(folder / "net.safetensors", {{"x", {uint8, {3}}, three}});
  CHECK(floats(w.bytes()) == six);
  CHECK(File::open(folder / "net.safetensors").contains("x"));
  CHECK_FALSE(std::filesystem::exists(folder / "net.safetensors.partial"));
}

TEST_CASE("safetensors: bytes are shared with their owner", "[safetensors]") {
  auto bytes = std::make_shared<const Bytes>(write(two_tensors()));
  std::weak_ptr<const Bytes> watched = bytes;
  std::optional<File> file = File::from_bytes(bytes, *bytes);
  std::optional<Constant> labels = file->constant("labels");
  CHECK(labels->bytes().data() >= bytes->data());
  CHECK(labels->bytes().data() < bytes->data() + bytes->size());
  bytes.reset();
  file.reset();
  CHECK_FALSE(watched.expired());
  labels.reset();
  CHECK(watched.expired());
}

TEST_CASE("safetensors: misaligned elements are copied", "[safetensors]") {
  const std::string header = R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                             R"("w":{"dtype":"I64","shape":[2],"data_offsets":[1,17]},)"
                             R"("v":{"dtype":"F16","shape":[1],"data_offsets":[17,19]}})";
  for (std::size_t padding = 0; padding < 8; ++padding) {
    const File file = File::from_bytes(file_of(header + std::string(padding, ' '), 19));
    for (const auto& [name, size] : {std::pair("w", 8u), {"v", 2u}, {"b", 1u}}) {
      const auto in_file = file.bytes(name);
      const Constant constant = file.constant(name);
      const auto address = [](auto bytes) {
        return reinterpret_cast<std::uintptr_t>(bytes.data());
      };
      CHECK(std::ranges::equal(in_file, constant.bytes()));
      CHECK(address(constant.bytes()) % size == 0);
      CHECK((in_file.data() == constant.bytes().data()) == (address(in_file) % size == 0));
    }
  }
}

TEST_CASE("safetensors: types that WebNN does not have are listed", "[safetensors]") {
  struct Case {
    const char* dtype;
    int bits;
  };
  for (auto [dtype, bits] : {Case{"F64", 64},
                             {"I16", 16},
                             {"U16", 16},
                             {"C64", 64},
                             {"F8_E5M2", 8},
                             {"F8_E8M0", 8},
                             {"F8_E4M3FNUZ", 8},
                             {"F8_E5M2FNUZ", 8},
                             {"F6_E2M3", 6},
                             {"F6_E3M2", 6},
                             {"F4", 4}}) {
    const auto size = static_cast<std::size_t>(bits);  // eight elements
    const File file =
        File::from_bytes(file_of(entry(dtype, "[8]", "[0," + std::to_string(bits) + "]"), size));
    CHECK(file.contains("w"));
    CHECK(file.info("w").dtype == dtype);
    CHECK_FALSE(file.info("w").dataType);
    CHECK(file.bytes("w").size() == size);
    const std::string reason =
        "tensor \"w\": dtype " + std::string(dtype) + " is not a data type of WebNN";
    CHECK(reason_of([&] { file.descriptor("w"); }) == reason);
    CHECK(reason_of([&] { file.constant("w"); }) == reason);
  }
  CHECK(File::from_bytes(file_of(entry("BOOL", "[2]", "[0,2]"), 2)).descriptor("w") ==
        MLOperandDescriptor{uint8, {2}});
}

TEST_CASE("safetensors: shapes that WebNN does not have are listed", "[safetensors]") {
  const auto reason = [](std::string_view shape, std::size_t size) {
    const File file =
        File::from_bytes(file_of(entry("U8", shape, "[0," + std::to_string(size) + "]"), size));
    CHECK(file.bytes("w").size() == size);
    return reason_of([&] { file.constant("w"); });
  };
  CHECK(reason("[3,0]", 0) ==
        "tensor \"w\": dimension 1 (0) of the tensor is not between 1 and 2147483647");
  CHECK(reason("[0,9223372036854775807]", 0) ==
        "tensor \"w\": dimension 0 (0) of the tensor is not between 1 and 2147483647");
  CHECK(reason("[1,1,1,1,1,1,1,1,2]", 2) ==
        "tensor \"w\": the rank (9) of the tensor is greater than 8");
  CHECK(reason("[1,1,1,1,1,1,1,2]", 2).empty());
}

TEST_CASE("safetensors: a name that is not there", "[safetensors]") {
  const File file = File::from_bytes(write(two_tensors()), "net.safetensors");
  const char* expected =
      "safetensors [net.safetensors]: tensor \"conv2.w\": there is no tensor of that name.";
  CHECK_THROWS_WITH(file.info("conv2.w"), expected);
  CHECK_THROWS_WITH(file.bytes("conv2.w"), expected);
  CHECK_THROWS_WITH(file.descriptor("conv2.w"), expected);
  CHECK_THROWS_WITH(file.constant("conv2.w"), expected);
}

TEST_CASE("safetensors: files that cannot be opened", "[safetensors]") {
  const Folder folder;
  const auto reason = [](const std::filesystem::path& path) {
    return reason_of([&] { File::open(path); });
  };
  CHECK(reason(folder / "none") == "the file cannot be opened: No such file or directory");
  CHECK(reason(folder.path) == "not a regular file");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(reason(folder / "pipe") == "not a regular file");
  std::ofstream(folder / "empty").close();
  CHECK(reason(folder / "empty") == "0 bytes are too few for a header");
  try {
    File::open(folder / "none");
  } catch (const DataError& e) { CHECK(e.label() == (folder / "none").string()); }
}

TEST_CASE("safetensors: what cannot be written", "[safetensors]") {
  const auto reason = [](std::vector<NamedValues> tensors, const Metadata& metadata = {}) {
    std::string in_memory, in_file;
    const Folder folder;
    try {
      write(tensors, metadata);
    } catch (const TypeError& e) { in_memory = e.reason(); }
    try {
      write(folder / "x", tensors, metadata);
    } catch (const TypeError& e) { in_file = e.reason(); }
    CHECK(in_memory == in_file);
    CHECK(std::filesystem::is_empty(folder.path));
    return in_memory;
  };
  CHECK(reason({{"w", {float32, {7}}, six}}) ==
        "tensor \"w\": the values have 24 bytes, but shape [7] of float32 needs 28");
  CHECK(reason({{"w", {int32, {6}}, six}}) == "tensor \"w\": the values are not of type int32");
  CHECK(reason({{"w", {int4, {6}}, three}}) == "tensor \"w\": the format has no int4");
  CHECK(reason({{"w", {uint8, {3, 0}}, three}}) ==
        "tensor \"w\": dimension 1 (0) of the tensor is not between 1 and 2147483647");
  CHECK(reason({{"w", {uint8, {3}}, three}, {"w", {uint8, {3}}, three}}) ==
        "tensor \"w\": the name is given twice");
  CHECK(reason({{"__metadata__", {uint8, {3}}, three}}) ==
        "tensor \"__metadata__\": the format reserves this name");
  CHECK(reason({{"\xff", {uint8, {3}}, three}}) == "a name or a text of the metadata is not UTF-8");
  CHECK(reason({}, {{"a", "\xff"}}) == "a name or a text of the metadata is not UTF-8");
}

TEST_CASE("safetensors: where a file cannot be written", "[safetensors]") {
  const Folder folder;
  CHECK_THROWS_AS(write(folder / "no" / "such", two_tensors()), OperationError);
  std::filesystem::create_directories(folder / "taken" / "in");
  CHECK_THROWS_AS(write(folder / "taken", two_tensors()), OperationError);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path), {}) == 1);
}

}  // namespace
}  // namespace webnn::inline v0_1::safetensors
