// Tensors whose elements are in a file beside the model: where it may be, and what is refused.
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/formats/onnx/initializer.h"
#include "tests/formats/onnx/run.h"
#include "tests/support/catch.h"

using namespace webnn;
using namespace webnn::onnx;
using namespace webnn::onnx::test;
using webnn::test::tensor;
using enum ElementType;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("webnn_onnx_" + std::to_string(getpid()));
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path / "below");
  }
  ~Folder() { fs::remove_all(path); }
  std::string write(const std::string& name, std::span<const std::byte> bytes) const {
    std::ofstream(path / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return (path / name).string();
  }
};

Message entry(std::string_view key, std::string_view value) {
  return Message().text(1, key).text(2, value);
}
Message external(std::string_view location, std::string_view offset, std::string_view length) {
  return header({2}, FLOAT)
      .message(13, entry("location", location))
      .message(13, entry("offset", offset))
      .message(13, entry("length", length))
      .integer(14, 1);
}

std::string external_refusal(const Folder& f, std::string_view location,
                             std::string_view offset = "4", std::string_view length = "8") {
  const std::string path = f.write("m.onnx", sum(external(location, offset, length)).file());
  std::string message = webnn::test::thrown([&] {
    webnn::test::Builder b;
    import_model(b, path);
  });
  for (std::size_t at; (at = message.find(f.path.string())) != std::string::npos;)
    message.replace(at, f.path.string().size(), "FOLDER");
  return message;
}

/// What the model, whose constant has those two elements at byte 4, computes of x = [1, 2].
std::vector<std::byte> sums_of(const std::string& path) {
  webnn::test::Builder b;
  const Model m = import_model(b, path);
  return run(b, m, {{"x", tensor(float32, {2}, {1, 2})}}).at(0).bytes;
}
const std::vector<float> inside{9, 0.5f, -3, 9}, outside{9, 100, 100, 9};
std::span<const std::byte> bytes_of(const std::vector<float>& v) {
  return std::as_bytes(std::span(v));
}
const std::vector<std::byte> expected = tensor(float32, {2}, {1.5, -1}).bytes;

std::string model_of(const Folder& f, const std::string& path, std::string_view location) {
  return f.write(path, sum(external(location, "4", "8")).file());
}

/// Replaces a link by another one as a whole.
void replace_link(const fs::path& link, const fs::path& target) {
  const fs::path other = link.string() + ".new";
  fs::create_symlink(target, other);
  fs::rename(other, link);
}

}  // namespace

TEST_CASE("onnx: external data") {
  const Folder f;
  f.write("below/weights", bytes_of(inside));
  CHECK(sums_of(model_of(f, "m.onnx", "below/weights")) == expected);
  CHECK(refusal(sum(external("below/weights", "4", "8"))) ==
        "DataError onnx: node 0 (Add-17): the tensor \"k\": its data is in another file, but the "
        "model was not read from a file.");
}

TEST_CASE("onnx: external data that is not in the model's folder, or not as it says") {
  const Folder f;
  f.write("weights", bytes_of(inside));
  const std::string start = "DataError onnx [FOLDER/m.onnx]: node 0 (Add-17): the tensor \"k\": ";
  const auto not_a_name = [&](const std::string& name) {
    return start + "external data \"" + name +
           "\": not the name of a file in this folder or below.";
  };
  for (const std::string name :
       {"..", "../weights", "below/../weights", "./../weights", "below//../weights",
        "/etc/hostname", "//etc/hostname", "", "weights/", "below/"})
    CHECK(external_refusal(f, name) == not_a_name(name));
  CHECK(external_refusal(f, std::string_view("weights\0", 8)) ==
        start +
            "external data \"weights\\u0000\": not the name of a file in this folder or below.");
  CHECK(external_refusal(f, "none") ==
        start + "external data \"none\": the file cannot be opened: No such file or directory.");
  CHECK(external_refusal(f, "weights/more") ==
        start + "external data \"weights/more\": the file cannot be opened: Not a directory.");
  CHECK(external_refusal(f, "below") == start + "external data \"below\": not a regular file.");
  CHECK(external_refusal(f, "weights", "12") ==
        start + "external data \"weights\": 8 bytes at 12 exceed the 16 bytes of the file.");
  CHECK(external_refusal(f, "weights", "18446744073709551615") ==
        start +
            "external data \"weights\": 8 bytes at 18446744073709551615 exceed the 16 bytes of "
            "the file.");
  CHECK(external_refusal(f, "weights", "0", "4") ==
        start + "external data \"weights\": its length (4) is not that of the tensor (8).");
  CHECK(external_refusal(f, "weights", "-4") ==
        start + "the offset of its external data, \"-4\", is not a number.");
}

TEST_CASE("onnx: external data by other spellings, hard links, and links within the folder") {
  const Folder f;
  f.write("weights", bytes_of(inside));
  f.write("below/other", bytes_of(inside));
  fs::create_hard_link(f.path / "weights", f.path / "twice");
  fs::create_symlink("weights", f.path / "link");
  fs::create_symlink("link", f.path / "link of a link");
  fs::create_symlink("../weights", f.path / "below/up");
  fs::create_symlink(f.path / "below/other", f.path / "absolute");
  fs::create_directory_symlink("below", f.path / "elsewhere");
  for (const std::string name :
       {"weights", "./weights", ".//weights", "below//other", "below/./other", "twice", "link",
        "link of a link", "below/up", "absolute", "elsewhere/other", "elsewhere/up"}) {
    INFO(name);
    CHECK(sums_of(model_of(f, "m.onnx", name)) == expected);
  }
  const fs::path before = fs::current_path();
  fs::current_path(f.path);
  CHECK(sums_of("m.onnx") == expected);
  CHECK(sums_of("below/../m.onnx") == expected);
  fs::current_path(before);
}

TEST_CASE("onnx: external data in the cache of a download") {
  const Folder f;
  fs::create_directories(f.path / "cache/blobs/below");
  fs::create_directories(f.path / "cache/snapshots/1a/onnx");
  model_of(f, "cache/blobs/abc", "model.onnx_data");
  f.write("cache/blobs/def", bytes_of(inside));
  const fs::path snapshot = f.path / "cache/snapshots/1a/onnx";
  fs::create_symlink("../../../blobs/abc", snapshot / "model.onnx");
  fs::create_symlink("../../../blobs/def", snapshot / "model.onnx_data");
  CHECK(sums_of(snapshot / "model.onnx") == expected);
  // By a path that goes through a link itself.
  fs::create_directory_symlink("cache/snapshots", f.path / "latest");
  CHECK(sums_of(f.path / "latest/1a/onnx/model.onnx") == expected);
  f.write("cache/blobs/below/def", bytes_of(inside));
  replace_link(snapshot / "model.onnx_data", "../../../blobs/below/def");
  CHECK(sums_of(snapshot / "model.onnx") == expected);

  // The folder of the blobs is one because the model is in it; others, of like names, are not.
  const auto refusal = [&](const fs::path& target) {
    replace_link(snapshot / "model.onnx_data", target);
    return webnn::test::thrown([&] { sums_of(snapshot / "model.onnx"); });
  };
  fs::create_directories(f.path / "cache/blobs2");
  f.write("cache/blobs2/def", bytes_of(outside));
  f.write("cache/def", bytes_of(outside));
  for (const char* target : {"../../../blobs2/def", "../../../def", "../../../blobs/../def",
                             "../../../blobs", "/etc/passwd", "/proc/self/exe"}) {
    INFO(target);
    CHECK(refusal(target).ends_with(
        "external data \"model.onnx_data\": the file is not in the folder of the model or below."));
  }
  CHECK(refusal("model.onnx_data").find("Too many levels of symbolic links") != std::string::npos);
  CHECK(refusal("../../../blobs/none").find("No such file or directory") != std::string::npos);
  fs::remove(snapshot / "model.onnx");
  model_of(f, "cache/snapshots/1a/onnx/model.onnx", "model.onnx_data");
  CHECK(refusal("../../../blobs/def").find("is not in the folder of the model") !=
        std::string::npos);
}

TEST_CASE("onnx: external data whose links are replaced while it is read") {
  const Folder f;
  fs::create_directories(f.path / "model/good");
  f.write("model/good/w", bytes_of(inside));
  f.write("below/w", bytes_of(outside));
  const bool of_folder = GENERATE(false, true);
  const fs::path link = f.path / "model/link";
  const fs::path good = of_folder ? "good" : "good/w", bad = of_folder ? "../below" : "../below/w";
  fs::create_symlink(good, link);
  const std::string model = model_of(f, "model/m.onnx", of_folder ? "link/w" : "link");
  std::atomic<bool> done = false;
  std::thread other([&] {
    while (!done) {
      replace_link(link, bad);
      replace_link(link, good);
    }
  });
  int read = 0, refused = 0, wrong = 0;
  for (int i = 0; i < 2000 || (i < 200000 && (read == 0 || refused == 0)); ++i) {
    webnn::test::Builder b;
    try {
      const Model m = import_model(b, model);
      const Graph g = b.build({{"y", m.outputs[0].operand}}).graph();
      float first = 0;
      for (std::size_t k = 0; k < g.operand_count(); ++k)
        if (const Constant* c = g.operand(k).constant())
          std::memcpy(&first, c->bytes().data(), sizeof first);
      ++(first == inside[1] ? read : wrong);
    } catch (const DataError& e) {
      const bool expected_reason =
          std::string_view(e.what()).find("is not in the folder of the model or below") !=
          std::string_view::npos;
      ++(expected_reason ? refused : wrong);
    }
  }
  done = true;
  other.join();
  CHECK(wrong == 0);
  CHECK(read > 0);
  CHECK(refused > 0);
}

TEST_CASE("onnx: a key of external data that is given twice") {
  const Folder f;
  f.write("weights", bytes_of(inside));
  f.write("others", bytes_of(outside));
  for (const char* key : {"location", "offset", "length", "checksum"}) {
    const std::string value = key == std::string("location") ? "others" : "0";
    const Message k = external("weights", "4", "8")
                          .message(13, entry("checksum", "1"))
                          .message(13, entry(key, value));
    const std::string path = f.write("m.onnx", sum(k).file());
    CHECK(webnn::test::thrown([&] { sums_of(path); })
              .ends_with("the tensor \"k\": its external data has the key \"" + std::string(key) +
                         "\" twice."));
  }
}
