#include "tests/support/custom_operators.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace webnn::inline v0_1::test {

CustomPointer top_k() {
  static const CustomPointer one = custom_operator(
      {.name = "test.TopK",
       .attributes = {{"k", 1}},
       .infer = [](const CustomCall& c) -> std::vector<MLOperandDescriptor> {
         if (c.inputs.size() != 1 || c.inputs[0].shape.empty())
           throw std::invalid_argument("it takes one tensor with rows");
         Dims shape = c.inputs[0].shape;
         const auto k = c.attribute<std::uint32_t>("k");
         if (k < 1 || k > shape.back())
           throw std::invalid_argument("k (" + std::to_string(k) + ") is not from 1 to " +
                                       std::to_string(shape.back()));
         shape.back() = k;
         return {{float32, shape}, {int32, shape}};
       },
       .compute =
           [](const CustomRun& run) {
             const auto x = run.in<float>(0);
             const auto values = run.out<float>(0);
             const auto places = run.out<std::int32_t>(1);
             const std::size_t n = run.shape(0).back(), k = run.attribute<std::uint32_t>("k");
             std::vector<std::int32_t> order(n);
             for (std::size_t row = 0; row < x.size() / n; ++row) {
               std::iota(order.begin(), order.end(), 0);
               const float* from = x.data() + row * n;
               std::stable_sort(order.begin(), order.end(),
                                [&](std::int32_t a, std::int32_t b) { return from[a] > from[b]; });
               for (std::size_t i = 0; i < k; ++i) {
                 values[row * k + i] = from[order[i]];
                 places[row * k + i] = order[i];
               }
             }
           }});
  return one;
}

CustomPointer scaled_sum() {
  static const CustomPointer one = custom_operator(
      {.name = "test.ScaledSum",
       .version = 3,
       .attributes = {{"scale", 1.0},
                      {"offsets", std::vector<double>{}},
                      {"mode", "plain"},
                      {"names", std::vector<std::string>{}},
                      {"flag", false}},
       .infer = [](const CustomCall& c) { return std::vector{c.inputs.at(0)}; },
       .lower = [](const CustomCall& c) -> Lowering {
         if (c.inputs[0].dataType != float32) return Refusal{"only float32"};
         const auto count = static_cast<std::size_t>(element_count(c.inputs[0].shape));
         const auto offsets = c.attribute<std::vector<double>>("offsets");
         const auto scale = c.attribute<float>("scale");
         const auto sum = static_cast<float>(std::accumulate(offsets.begin(), offsets.end(), 0.0));
         constexpr std::size_t tile = 16;
         return Candidate{.name = "tiles of 16",
                          .tiles = static_cast<int>((count + tile - 1) / tile),
                          .in_place = {0},
                          .run = [=](Range r, const Buffers& b, std::byte*) {
                            const std::size_t end =
                                std::min(count, static_cast<std::size_t>(r.end) * tile);
                            for (auto i = static_cast<std::size_t>(r.begin) * tile; i < end; ++i)
                              b.out<float>()[i] = b.in<float>()[i] * scale + sum;
                          }};
       }});
  return one;
}

CustomPointer counted() {
  static const CustomPointer one =
      custom_operator({.name = "test.Counted",
                       .infer = [](const CustomCall& c) -> std::vector<MLOperandDescriptor> {
                         const auto bytes = c.constant(0);
                         if (bytes.size() != sizeof(std::uint32_t))
                           throw std::invalid_argument("the number of elements is not a constant");
                         std::uint32_t n = 0;
                         std::memcpy(&n, bytes.data(), sizeof n);
                         return {{int32, {n}}};
                       },
                       .compute =
                           [](const CustomRun& run) {
                             const auto y = run.out<std::int32_t>();
                             std::iota(y.begin(), y.end(), 0);
                           }});
  return one;
}

}  // namespace webnn::inline v0_1::test
