// Operators that become those of the library which WebNN does not have.
#include <algorithm>
#include <numeric>

#include "tests/formats/tflite/run.h"
#include "tests/formats/tflite/writer.h"
#include "tests/support/builder.h"
#include "tests/support/catch.h"
#include "tests/support/random.h"
#include "tests/support/thrown.h"

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

TEST_CASE("tflite: TopK is written as TFLite's operator") {
  webnn::test::Random random(2);
  const Tensor x = random.tensor(float32, {3, 7, 2}, 0, 5);
  for (const int axis : {-1, 1, 0})
    for (const bool largest : {true, false})
      for (const char* index : {"int32", "int64"}) {
        CAPTURE(axis, largest, index);
        const MLContext context = webnn::test::plain_context();
        MLGraphBuilder b(context);
        const MLOperand input = b.input("x", {float32, {3, 7, 2}});
        const auto y = b.custom(
            "webnn.TopK", {input},
            {.attributes = {{"k", 2}, {"axis", axis}, {"largest", largest}, {"indexType", index}}});
        const MLGraph graph = b.build({{"values", y[0]}, {"places", y[1]}});
        const auto again = run(tflite::export_model(graph), std::span(&x, 1));
        MLContext c = context;
        Tensor values = webnn::test::filled(float32, y[0].shape(), 0),
               places = webnn::test::filled(y[1].dataType(), y[1].shape(), 0);
        c.compute(graph, {{"x", std::span<const std::byte>(x.bytes)}},
                  {{"values", std::span<std::byte>(values.bytes)},
                   {"places", std::span<std::byte>(places.bytes)}});
        CHECK(again.at(0).bytes == values.bytes);
        CHECK(again.at(1).type == places.type);
        CHECK(again.at(1).bytes == places.bytes);
      }
  MLGraphBuilder b(webnn::test::plain_context());
  const auto least = b.custom("webnn.TopK", {b.input("x", {int32, {4}})},
                              {.attributes = {{"k", 1}, {"largest", false}}, .label = "least"});
  const MLGraph graph = b.build({{"y", least[0]}});
  CHECK_THAT(webnn::test::thrown([&] { tflite::export_model(graph); }),
             ContainsSubstring(
                 "webnn.TopK [least]: TFLite does not select the smallest elements of int32"));
}
