// What is refused, and the reason that is given.
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "src/formats/compiled/file.h"
#include "src/formats/compiled/key.h"
#include "tests/formats/compiled/networks.h"
#include "tests/runtime/own_backend.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::test;

namespace {

using Bytes = std::vector<std::byte>;

const MLContext& context() {
  static const MLContext one({.threads = 1});
  return one;
}

const Bytes& compiled_bytes() {
  static const Bytes bytes = compiled::bytes_of(built(context(), {"products", &products}));
  return bytes;
}

/// The file with another value of a field of its key.
Bytes with_field(const std::string& name, const std::string& value) {
  Bytes bytes = compiled_bytes();
  compiled::Header header = *compiled::header_of(bytes);
  compiled::Key key = compiled::key_from(header.key);
  bool found = false;
  for (compiled::KeyField& f : key)
    if (f.name == name) {
      f.value = value;
      found = true;
    }
  REQUIRE(found);
  header.key = compiled::to_text(key);
  const Bytes first = *compiled::to_bytes(header);
  std::copy(first.begin(), first.end(), bytes.begin());
  return bytes;
}

std::string value_of(const std::string& name) {
  for (const compiled::KeyField& f : compiled::key_of(context()))
    if (f.name == name) return f.value;
  return "";
}

std::string load_error(const Bytes& bytes, const MLContext& with = context(),
                       compiled::Verify verify = compiled::Verify::small) {
  return thrown([&] { loaded(with, bytes, {.verify = verify}); });
}

const std::string load_fails = "DataError load [net.webnnc]: it ";

}  // namespace

TEST_CASE("refused: each field of the key that differs") {
  const compiled::Key key = compiled::key_of(context());
  REQUIRE(key.size() >= 4);
  for (const auto& [name, value] : key) {
    CAPTURE(name);
    CHECK(load_error(with_field(name, "another")) ==
          load_fails + "was compiled for " + name + " another; this context has " + value + ".");
    CHECK(load_error(with_field(name, "")) ==
          load_fails + "was compiled for " + name + " none; this context has " + value + ".");
    CHECK(load_error(with_field(name, value)) == "nothing");
  }
  CHECK(value_of("library version").starts_with(version()));
  std::string order;
  for (const std::string& b : context().backends()) order += (order.empty() ? "" : ",") + b;
  CHECK(value_of("backend order") == order);
  for (const auto& [backend, field] :
       {std::pair("simd", "instruction set"), std::pair("onednn", "version of oneDNN"),
        std::pair("xnnpack", "version of XNNPACK")}) {
    const bool has = order.find(backend) != std::string::npos;
    CHECK(value_of(field).empty() == !has);
  }
  CHECK(!value_of("passes").empty());
}

TEST_CASE("refused: another format version") {
  Bytes bytes = compiled_bytes();
  bytes[8] = std::byte{8};
  CHECK(load_error(bytes) == load_fails + "was compiled for format version 8; this library has 7.");
}

TEST_CASE("refused: other contexts") {
  std::string order = value_of("backend order");
  const MLContext reference({.threads = 1, .backends = {"reference"}});
  if (order != "reference")
    CHECK(load_error(compiled_bytes(), reference) ==
          load_fails + "was compiled for backend order " + order + "; this context has reference.");
  const MLContext tests({.threads = 1, .rules = Rules::tests2025});
  CHECK(load_error(compiled_bytes(), tests) == "nothing");  // rules are of builders and tensors
  const Bytes bytes = compiled_bytes();
  ::setenv("WEBNN_PASSES", "none", 1);
  const std::string error = load_error(bytes);
  ::unsetenv("WEBNN_PASSES");
  CHECK(error ==
        load_fails + "was compiled for passes " + value_of("passes") + "; this context has none.");
  if (!value_of("instruction set").empty()) {
    const MLContext int8({.threads = 1, .accuracyLevel = AccuracyLevel::int8});
    CHECK(load_error(bytes, int8) == load_fails + "was compiled for instruction set " +
                                         value_of("instruction set") + "; this context has " +
                                         value_of("instruction set") + " with int8 activations.");
  }
  MLContext lost({.threads = 1});
  lost.destroy();
  CHECK(load_error(bytes, lost) == "InvalidStateError load: the context is lost.");
}

TEST_CASE("refused: graphs that cannot be saved") {
  const auto save = [](const MLGraph& g) { return thrown([&] { compiled::bytes_of(g); }); };
  CHECK(save(MLGraph()) == "InvalidStateError save: the graph is empty.");
  MLGraph gone = built(context(), {"without kernels", &without_kernels});
  gone.destroy();
  CHECK(save(gone) == "InvalidStateError save: the graph is destroyed.");
  MLContext other({.threads = 1});
  const MLGraph alive = built(other, {"products", &products});
  other.destroy();
  CHECK(save(alive) == "InvalidStateError save: the graph is destroyed.");
  const MLGraph good = built(context(), {"without kernels", &without_kernels});
  CHECK(thrown([&] {
          compiled::save(good, "/nowhere/at/all.webnnc");
        }).starts_with("OperationError save [/nowhere/at/all.webnnc]: the file cannot be written"));
}

TEST_CASE("the graph of known sizes of an open one is saved") {
  const MLContext context({.threads = 1});
  MLGraphBuilder b(context);
  const MLOperand w = b.constant({float32, {2, 3}}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});
  const MLGraph open = b.build({{"y", b.matmul(b.input("x", {float32, {"rows", 2}}), w)}});
  const auto bytes = compiled::bytes_of(open.prepare({{"x", {2, 2}}}));
  const MLGraph again = compiled::load(context, nullptr, bytes, {}, "file");
  const std::vector<float> x{1, 0, 0, 1};
  std::vector<float> y(6);
  MLContext(context).compute(again, {{"x", x}}, {{"y", y}});
  CHECK(y == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("refused: kernels made from constants that build() has dropped") {
  // It reads its constant when it is made, and does not pack it where compiled graphs see that.
  const auto own = own_backend([](Chain chain) -> Lowering {
    if (chain.size() > 1 || !chain[0].as<ops::add>()) return Refusal{"only add"};
    const auto bytes = chain[0].input(1).constant()->bytes();
    std::vector<float> addend(bytes.size() / sizeof(float));
    std::memcpy(addend.data(), bytes.data(), bytes.size());
    return Candidate{.name = "sum",
                     .weights = {{.bytes = bytes.size(), .inputs = {1}}},
                     .run = [addend](Range, const Buffers& b, std::byte*) {
                       for (std::size_t i = 0; i < addend.size(); ++i)
                         b.out<float>()[i] = b.in<float>()[i] + addend[i];
                     }};
  });
  const Network sum{"sum", [](MLGraphBuilder& b) {
                      const MLOperand x = b.input("x", {float32, {128, 256}});
                      return NamedOperands{{"y", b.add(x, weights(b, {128, 256}, 1))}};
                    }};
  MLContextOptions options{.threads = 1, .backends = {own, "reference"}};
  const MLContext drops(options);
  const MLGraph graph = built(drops, sum);
  REQUIRE(graph.report().steps.size() == 1);
  CHECK(thrown([&] { compiled::bytes_of(graph); }) ==
        "NotSupportedError save: the kernel own: sum of add is made from its constants again, and "
        "build() has dropped them; build the graph in a context with the option keepConstants.");
  options.keepConstants = true;
  const MLContext keeps(options);
  const MLGraph kept = built(keeps, sum);
  const MLGraph again = loaded(drops, compiled::bytes_of(kept));
  CHECK(results(drops, again) == results(drops, graph));
}

TEST_CASE("refused: what is no file, or not of this kind") {
  const auto path = std::filesystem::temp_directory_path() / "webnn-no-such-file.webnnc";
  CHECK(thrown([&] { compiled::load(context(), path.string()); }) ==
        "DataError load [" + path.string() +
            "]: the file cannot be opened: No such file or directory.");
  CHECK(load_error({}) == load_fails + "is not a compiled graph.");
  CHECK(load_error(Bytes(5000)) == load_fails + "is not a compiled graph.");
}
