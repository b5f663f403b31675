// Operators that become those of the library which WebNN does not have.
#include <algorithm>
#include <numeric>

#include "tests/formats/tflite/run.h"
#include "tests/formats/tflite/writer.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"

using namespace webnn;
using namespace webnn::tflite::test;
namespace fbs = webnn::tflite::schema;

TEST_CASE("tflite: the largest of many") {
  constexpr std::uint32_t n = 700, k = 9;
  for (const auto index : {fbs::TensorType::INT32, fbs::TensorType::INT64}) {
    Writer w;
    const int values = w.empty(fbs::TensorType::FLOAT32), places = w.empty(index);
    w.op(fbs::BuiltinOperator::TOPK_V2,
         {w.input(fbs::TensorType::FLOAT32, {2, static_cast<std::int32_t>(n)}), w.integer(k)},
         {values, places}, fbs::TopKV2OptionsT());
    w.output(values);
    w.output(places);
    webnn::test::Random random(1);
    const Tensor x = random.tensor(float32, {2, n}, 0, 5);
    const std::vector<Tensor> y = run(w.file(), std::span(&x, 1));
    REQUIRE(y.size() == 2);
    CHECK(y[1].type == (index == fbs::TensorType::INT64 ? int64 : int32));
    for (std::uint32_t row = 0; row < 2; ++row) {
      std::vector<std::uint32_t> order(n);
      std::iota(order.begin(), order.end(), 0u);
      std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
        return x.at({row, a}) > x.at({row, b});
      });
      for (std::uint32_t i = 0; i < k; ++i) {
        CHECK(y[1].at({row, i}) == order[i]);
        CHECK(y[0].at({row, i}) == x.at({row, order[i]}));
      }
    }
  }
}
