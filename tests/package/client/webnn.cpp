// A program that knows only an installed libwebnn: a graph, a backend and an error of its own.
#include <webnn/backend.h>
#include <webnn/fluent.h>
#include <webnn/webnn.h>

#include <cstdio>
#include <string_view>

using namespace webnn;

namespace {

struct Twice final : Backend {  // derives from a class of the library
  std::string_view name() const override { return "twice"; }
  Lowering lower(Chain chain) const override {
    if (chain.size() > 1 || !chain[0].as<ops::linear>()) return Refusal{"only linear"};
    return Candidate{.name = "doubles", .run = [](Range, const Buffers& b, std::byte*) {
                       for (int i = 0; i < 4; ++i) b.out<float>()[i] = 2 * b.in<float>()[i];
                     }};
  }
};

bool fails(const char* what) {
  std::fprintf(stderr, "client: %s\n", what);
  return false;
}

bool works() {
  MLContext context({.backends = {std::make_shared<Twice>(), "reference"}});
  MLGraphBuilder b(context);
  fluent::Operand x = b.input("x", {.dataType = float32, .shape = {4}});
  try {
    b.softmax(x, 3, {.label = "wrong"});
    return fails("no exception");
  } catch (const TypeError& e) {  // thrown inside the library, caught outside
    if (e.label() != "wrong") return fails(e.what());
  }
  const MLGraph graph = b.build({{"y", (x + 1).linear({.alpha = 2}).relu()}});
  const float in[] = {-3, -1, 0, 1};
  float out[4];
  context.compute(graph, {{"x", in}}, {{"y", out}});
  const float expected[] = {0, 0, 2, 4};
  for (int i = 0; i < 4; ++i)
    if (out[i] != expected[i]) return fails("another result than expected");
  if (graph.explain().find("twice doubles") == std::string::npos) return fails("not its backend");
  const std::string compiled = std::to_string(WEBNN_VERSION_MAJOR) + "." +
                               std::to_string(WEBNN_VERSION_MINOR) + "." +
                               std::to_string(WEBNN_VERSION_PATCH);
  return compiled == version() || fails("linked with another version than compiled with");
}

}  // namespace

int main() {
  if (!works()) return 1;
  std::printf("webnn %s works\n", version());
}
