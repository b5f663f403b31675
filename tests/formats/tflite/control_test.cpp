// Branches, loops and variables.
#include "tests/formats/tflite/refusal.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/catch.h"
#include "webnn/state.h"

using namespace webnn;
using namespace webnn::tflite::test;
using webnn::test::tensor;

namespace {

using Code = BuiltinOperator;
namespace fbs = tflite::schema;
constexpr auto f32 = TensorType::FLOAT32, i8 = TensorType::INT8, i32 = TensorType::INT32,
               boolean = TensorType::BOOL, resource = TensorType::RESOURCE;

/// IF of a condition: x + x, or -x.
Writer with_branches(std::function<int(Writer&)> condition, Shape other = {2}) {
  Writer w;
  const int x = w.input(f32, {2});
  fbs::IfOptionsT o;
  o.then_subgraph_index = 1;
  o.else_subgraph_index = 2;
  w.output(w.op(Code::IF, {condition(w), x}, {w.result(f32)}, o));
  w.add_subgraph();
  const int a = w.input(f32, {2});
  w.output(w.op(Code::ADD, {a, a}, {w.result(f32)}, fbs::AddOptionsT()));
  w.add_subgraph();
  int b = w.op(Code::NEG, {w.input(f32, {2})}, {w.result(f32)});
  if (other != Shape{2}) b = w.op(Code::RESHAPE, {b, w.ints(other)}, {w.result(f32)});
  w.output(b);
  return w;
}
int constant_condition(Writer& w, std::uint8_t value) {
  return w.constant(boolean, {}, std::vector<std::uint8_t>{value});
}
int from_data(Writer& w) { return w.input(boolean, {1}); }

/// i = 0; while (i < n) { x = x + x; ++i }
Writer with_loop(std::function<int(Writer&)> count) {
  Writer w;
  const int x = w.input(f32, {2}), n = count(w);
  fbs::WhileOptionsT o;
  o.cond_subgraph_index = 1;
  o.body_subgraph_index = 2;
  const auto last =
      w.op(Code::WHILE, {w.integer(0), n, x}, {w.result(i32), w.result(i32), w.result(f32)}, o);
  w.output(last);
  w.add_subgraph();
  const int i = w.input(i32, {}), most = w.input(i32, {});
  w.input(f32, {2});
  w.output(w.op(Code::LESS, {i, most}, {w.result(boolean)}));
  w.add_subgraph();
  const int j = w.input(i32, {}), m = w.input(i32, {}), v = w.input(f32, {2});
  w.output(w.op(Code::ADD, {j, w.integer(1)}, {w.result(i32)}, fbs::AddOptionsT()));
  w.output(m);
  w.output(w.op(Code::ADD, {v, v}, {w.result(f32)}, fbs::AddOptionsT()));
  return w;
}

int handle(Writer& w, const std::string& name) {
  fbs::VarHandleOptionsT o;
  o.shared_name = name;
  return w.op(Code::VAR_HANDLE, {}, {w.result(resource)}, o);
}

/// The sum of all inputs so far, quantized, whose first value is 5 steps of 0.5 above zero.
Writer running_sum() {
  const Quant q{{0.5f}, {-10}};
  Writer w;
  fbs::CallOnceOptionsT once;
  once.init_subgraph_index = 1;
  w.op(Code::CALL_ONCE, {}, {}, once);
  const int sum = handle(w, "sum"), x = w.input(i8, {3}, q);
  const int before = w.op(Code::READ_VARIABLE, {sum}, {w.result(i8, q, {3})});
  const int after = w.op(Code::ADD, {before, x}, {w.result(i8, q, {3})}, fbs::AddOptionsT());
  w.op(Code::ASSIGN_VARIABLE, {sum, after}, {});
  w.output(w.op(Code::DEQUANTIZE, {after}, {w.result(f32)}));
  w.add_subgraph();
  w.op(Code::ASSIGN_VARIABLE,
       {handle(w, "sum"), w.constant(i8, {3}, std::vector<std::int8_t>{-5, -5, -5}, q)}, {});
  return w;
}

}  // namespace

TEST_CASE("tflite: a branch whose condition is known", "[tflite]") {
  for (const bool yes : {true, false}) {
    const Writer w = with_branches([&](Writer& f) { return constant_condition(f, yes); });
    const auto y = run(w.file(), std::vector{tensor(float32, {2}, {1, -3})});
    CHECK(y[0][0] == (yes ? 2 : -1));
    CHECK(y[0][1] == (yes ? -6 : 3));
  }
  // The other branch may have another shape.
  const Writer w = with_branches([](Writer& f) { return constant_condition(f, 0); }, {1, 2});
  CHECK(run(w.file(), std::vector{tensor(float32, {2}, {1, -3})})[0].shape == Dims{1, 2});
}

TEST_CASE("tflite: a branch whose condition follows from data", "[tflite]") {
  const Writer w = with_branches(from_data);
  for (const bool yes : {true, false}) {
    const auto y = run(
        w.file(), std::vector{tensor(float32, {2}, {1, -3}), tensor(uint8, {1}, {yes ? 1. : 0.})});
    CHECK(y[0].shape == Dims{2});
    CHECK(y[0][0] == (yes ? 2 : -1));
    CHECK(y[0][1] == (yes ? -6 : 3));
  }
  CHECK(refusal(with_branches(from_data, {1, 2})) ==
        "NotSupportedError tflite: operator 0 (IF): its condition follows from data, and result 0 "
        "of its branches is float32 [2] and float32 [1, 2].");
}

TEST_CASE("tflite: loops are unrolled", "[tflite]") {
  const auto y = run(with_loop([](Writer& w) { return w.integer(3); }).file(),
                     std::vector{tensor(float32, {2}, {1, -3})});
  CHECK(y[0][0] == 8);
  CHECK(y[0][1] == -24);
  const auto none = run(with_loop([](Writer& w) { return w.integer(0); }).file(),
                        std::vector{tensor(float32, {2}, {1, -3})});
  CHECK(none[0][1] == -3);
}

TEST_CASE("tflite: a loop whose condition follows from data, and a long one", "[tflite]") {
  const auto from_input = with_loop([](Writer& w) { return w.input(i32, {}); }).file();
  for (const int n : {0, 1, 3, 7}) {
    const auto y =
        run(from_input, std::vector{tensor(float32, {2}, {1, -3}), tensor(int32, {}, {1. * n})});
    CHECK(y[0][0] == 1 << n);
    CHECK(y[0][1] == -3 * (1 << n));
  }
  const auto y = run(with_loop([](Writer& w) { return w.integer(100000); }).file(),
                     std::vector{tensor(float32, {2}, {0, -3})});
  CHECK(y[0][0] == 0);
  CHECK(std::isinf(y[0][1]));
}

TEST_CASE("tflite: a variable is a state that the graph keeps", "[tflite]") {
  MLContext context = webnn::test::plain_context();
  MLGraphBuilder b(context);
  const auto m = tflite::import_model(b, running_sum().file());
  REQUIRE(m.inputs.size() == 2);
  CHECK(m.inputs[1].name == "sum");
  CHECK(m.input_quantization[1] == tflite::Quantization{0.5f, -10});
  REQUIRE(m.outputs.size() == 2);
  CHECK(m.outputs[1].name == "sum_next");
  const MLGraph graph = b.build(m.outputs, {.inputs = m.inputs});
  const std::vector<std::int8_t> x{-8, -10, -12};  // 1, 0, -1
  std::vector<float> y(3);
  const auto step = [&] {
    context.compute(graph, {{m.inputs[0].name, x}}, {{m.outputs[0].name, y}});
    return y;
  };
  CHECK(step() == std::vector<float>{3.5, 2.5, 1.5});
  CHECK(step() == std::vector<float>{4.5, 2.5, 0.5});
  resetStates(graph);
  CHECK(step() == std::vector<float>{3.5, 2.5, 1.5});
}

TEST_CASE("tflite: variables that are wrong", "[tflite]") {
  Writer w = running_sum();
  w.model.subgraphs[1]->tensors[1]->shape = {4};
  w.model.subgraphs[1]->tensors[1]->buffer = 0;
  CHECK(refusal(w) != "nothing");
  w = Writer();
  w.output(w.op(Code::READ_VARIABLE, {w.input(f32, {2})}, {w.result(f32, {}, {2})}));
  CHECK(refusal(w) ==
        "DataError tflite: operator 0 (READ_VARIABLE): its input 0, tensor 0 (\"x0\"), is not a "
        "variable.");
  w = Writer();
  fbs::CallOnceOptionsT once;
  once.init_subgraph_index = 7;
  w.op(Code::CALL_ONCE, {}, {}, once);
  w.output(w.op(Code::NEG, {w.input(f32, {2})}, {w.result(f32)}));
  CHECK(refusal(w) == "DataError tflite: operator 0 (CALL_ONCE): there is no subgraph 7.");
  w = Writer();
  const int v = handle(w, "v");
  const int x = w.input(f32, {3});
  w.output(w.op(Code::READ_VARIABLE, {v}, {w.result(f32, {}, {2})}));
  w.op(Code::ASSIGN_VARIABLE, {v, x}, {});
  CHECK(refusal(w) ==
        "DataError tflite: operator 2 (ASSIGN_VARIABLE): its variable \"v\" is float32 [3] here, "
        "but float32 [2] elsewhere.");
}

TEST_CASE("tflite: MediaPipe's transposed convolution with a bias", "[tflite]") {
  // By its definition: each element of the image adds the filter to a part of the result.
  for (const std::int32_t padding : {1, 2})
    for (const std::int32_t size : {2, 3})
      for (const std::int32_t stride : {1, 2, 3}) {
        constexpr std::int32_t rows = 4, columns = 3, in = 2, out = 3;
        Writer w;
        const int x = w.input(f32, {1, rows, columns, in});
        const int filter = w.weights(f32, {out, size, size, in});
        const int bias = w.weights(f32, {out}, {}, 2);
        w.output(w.op(Code::CUSTOM, {x, filter, bias}, {w.result(f32)}));
        w.model.operator_codes[0]->custom_code = "Convolution2DTransposeBias";
        const std::int32_t options[3] = {padding, stride, stride};
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(options);
        w.last().custom_options.assign(bytes, bytes + sizeof options);
        const auto image = webnn::test::generated(
            float32, {1, rows, columns, in},
            [](const Dims& p) { return 0.25 * p[1] - 0.5 * p[2] + 0.125 * p[3]; });
        const auto y = run(w.file(), std::vector{image})[0];
        const auto values = [&](int t) {
          std::vector<float> v(count_of(w.tensor(t).shape));
          std::memcpy(v.data(), w.model.buffers[w.tensor(t).buffer]->data.data(), 4 * v.size());
          return v;
        };
        const auto f = values(filter), offset = values(bias);
        const auto missing = [&](std::int32_t n) {
          return padding == 1 ? std::max(0, size - (n - 1) % stride - 1) : 0;
        };
        const std::int32_t high = stride * (rows - 1) + size - missing(rows),
                           wide = stride * (columns - 1) + size - missing(columns);
        REQUIRE(y.shape ==
                Dims{1, static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(wide), out});
        std::vector<double> sums;
        for (std::int32_t i = 0; i < high * wide; ++i)
          sums.insert(sums.end(), offset.begin(), offset.end());
        for (std::int32_t r = 0; r < rows; ++r)
          for (std::int32_t c = 0; c < columns; ++c)
            for (std::int32_t i = 0; i < size; ++i)
              for (std::int32_t j = 0; j < size; ++j) {
                const std::int32_t row = r * stride - missing(rows) / 2 + i,
                                   column = c * stride - missing(columns) / 2 + j;
                if (row < 0 || row >= high || column < 0 || column >= wide) continue;
                for (std::int32_t o = 0; o < out; ++o)
                  for (std::int32_t k = 0; k < in; ++k)
                    sums[static_cast<std::size_t>((row * wide + column) * out + o)] +=
                        image[static_cast<std::size_t>((r * columns + c) * in + k)] *
                        f[static_cast<std::size_t>(((o * size + i) * size + j) * in + k)];
              }
        for (std::size_t i = 0; i < sums.size(); ++i) CHECK(y[i] == Approx(sums[i]).margin(1e-6));
      }
}
