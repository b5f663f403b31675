// A custom backend, added when the program runs: it supports relu; the other backends run the rest.
#include <webnn/backend.h>
#include <webnn/webnn.h>

#include <algorithm>
#include <array>
#include <cstdio>

using namespace webnn;

namespace {

struct CustomBackend final : Backend {
  std::string_view name() const override { return "custom"; }

  /// A kernel for all of the chain, or the reason why not.
  Lowering lower(Chain chain) const override {
    if (chain.size() > 1) return Refusal{"one operator at a time"};
    if (!chain[0].as<ops::relu>()) return Refusal{"only relu"};
    if (chain[0].output().dataType() != float32) return Refusal{"only float32"};

    const std::size_t count = element_count(chain[0].output().shape());
    const std::size_t tile = 4096;  // elements; from the shape alone, so that results never differ
    return Candidate{.name = "plain relu",
                     .tiles = static_cast<int>((count + tile - 1) / tile),
                     .in_place = {0},
                     .run = [=](Range tiles, const Buffers& buffers, std::byte*) {
                       const float* x = buffers.in<float>();
                       float* y = buffers.out<float>();
                       const std::size_t end = std::min(count, tiles.end * tile);
                       for (std::size_t i = tiles.begin * tile; i < end; ++i)
                         y[i] = x[i] > 0 ? x[i] : 0;
                     }};
  }
};

}  // namespace

int main() {
  std::vector<BackendChoice> order = {std::make_shared<CustomBackend>()};
  for (const std::string& name : MLContext().backends()) order.push_back(name);
  MLContext context({.backends = order});

  MLGraphBuilder b(context);
  MLOperand x = b.input("x", {.dataType = float32, .shape = {2, 3}});
  MLOperand w = b.constant({float32, {3, 2}}, {1.f, -1.f, 1.f, -1.f, 1.f, -1.f});
  MLGraph graph = b.build({{"y", b.relu(b.tanh(b.matmul(x, w)))}});

  const std::array<float, 6> in = {1, 1, 1, -1, -1, -1};
  std::array<float, 4> out;
  context.compute(graph, {{"x", in}}, {{"y", out}});
  std::printf("%.3f %.3f %.3f %.3f\n\n%s", out[0], out[1], out[2], out[3], graph.explain().c_str());
}
