// An operator that WebNN does not have: the k largest numbers of each row, and their places.
#include <webnn/custom.h>
#include <webnn/webnn.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

using namespace webnn;

int main() {
  const auto top_k = custom_operator(
      {.name = "example.TopK",
       .attributes = {{"k", 1}},
       .infer = [](const CustomCall& call) -> std::vector<MLOperandDescriptor> {
         Dims shape = call.inputs.at(0).shape;
         shape.back() = call.attribute<std::uint32_t>("k");
         return {{float32, shape}, {int32, shape}};
       },
       .compute =
           [](const CustomRun& run) {
             const std::size_t n = run.shape(0).back(), k = run.attribute<std::uint32_t>("k");
             std::vector<std::int32_t> order(n);
             for (std::size_t row = 0; row < run.in<float>(0).size() / n; ++row) {
               const auto x = run.in<float>(0).subspan(row * n, n);
               std::iota(order.begin(), order.end(), 0);
               std::ranges::stable_sort(order, std::greater(), [&](auto i) { return x[i]; });
               for (std::size_t i = 0; i < k; ++i) {
                 run.out<float>(0)[row * k + i] = x[order[i]];
                 run.out<std::int32_t>(1)[row * k + i] = order[i];
               }
             }
           }});

  MLContext context;
  MLGraphBuilder b(context);
  const MLOperand x = b.input("x", {float32, {"rows", 5}});
  const auto best = b.custom(top_k, {b.softmax(x, 1)}, {.attributes = {{"k", 2}}, .label = "best"});
  const MLGraph graph = b.build({{"values", best[0]}, {"places", best[1]}});

  const std::array<float, 10> in = {1, 4, 2, 3, 0, 9, 0, 0, 9, 8};
  std::array<float, 4> values;
  std::array<std::int32_t, 4> places;
  context.compute(graph, {{"x", in}}, {{"values", values}, {"places", places}});
  for (std::size_t i = 0; i < 4; ++i) std::printf("%d: %.2f\n", places[i], values[i]);
  std::printf("\n%s", graph.explain().c_str());
}
