// Models that compute with their open dimensions, as converters write them: one import, runs at
// many sizes.
#include <cmath>

#include "tests/formats/tflite/cases.h"
#include "tests/formats/tflite/run.h"
#include "tests/support/catch.h"
#include "tests/support/thrown.h"

using namespace webnn;
using namespace webnn::tflite::test;
using webnn::test::generated;
using webnn::test::thrown;
using Code = BuiltinOperator;
namespace schema = webnn::tflite::schema;

namespace {

constexpr auto f32 = TensorType::FLOAT32, i32 = TensorType::INT32;

struct OpenWriter : Writer {
  /// An input whose dimensions of -1 are open; the file has 1 for them.
  int open(const Shape& signature, TensorType type = f32) {
    Shape shape;
    for (const std::int32_t size : signature) shape.push_back(size < 0 ? 1 : size);
    const int x = input(type, shape);
    tensor(x).shape_signature = signature;
    return x;
  }
  int f(Code code, const std::vector<int>& inputs, TensorType type = f32) {
    return op(code, inputs, {result(type)});
  }
  template <class Options>
  int f(Code code, const std::vector<int>& inputs, TensorType type, Options options) {
    return op(code, inputs, {result(type)}, std::move(options));
  }
  /// The size of a dimension, a scalar.
  int size_of(int x, std::int32_t axis) {
    const int shape = f(Code::SHAPE, {x}, i32, schema::ShapeOptionsT());
    schema::StridedSliceOptionsT o;
    o.shrink_axis_mask = 1;
    return f(Code::STRIDED_SLICE, {shape, ints({axis}), ints({axis + 1}), ints({1})}, i32, o);
  }
  int pack(const std::vector<int>& scalars) {
    return f(Code::PACK, scalars, i32, schema::PackOptionsT());
  }
};

class Imported {
 public:
  explicit Imported(const Writer& w) {
    model_ = tflite::import_model(builder_, w.file());
    graph_ = builder_.build(model_.outputs, {.inputs = model_.inputs});
  }
  std::vector<Tensor> run(const Tensor& x) {
    const std::string& name = model_.inputs[0].name;
    std::vector<Tensor> results;
    for (const auto& [output, d] : graph_.computeShapes({{name, x.shape}}))
      results.push_back({d.dataType, d.shape, std::vector<std::byte>(byte_length(d))});
    std::vector<NamedOutput> out;
    for (std::size_t i = 0; i < results.size(); ++i)
      out.push_back({graph_.outputs()[i].name, results[i].bytes});
    const std::vector<NamedInput> in{{name, InputView(x.bytes, x.shape)}};
    builder_.context().compute(graph_, std::span<const NamedInput>(in),
                               std::span<const NamedOutput>(out));
    return results;
  }
  const tflite::Model& model() const { return model_; }

 private:
  MLGraphBuilder builder_{webnn::test::plain_context()};
  tflite::Model model_{};
  MLGraph graph_{};
};

/// Different numbers, small ones.
Tensor counted(Dims shape, MLOperandDataType type = float32) {
  double next = 0;
  return generated(type, std::move(shape), [&](const Dims&) { return std::fmod(next++ * 7, 23); });
}

using Expected = std::function<double(const Dims& place)>;
void check(const Tensor& y, const Dims& shape, const Expected& expected) {
  REQUIRE(y.shape == shape);
  const Tensor right = generated(float32, shape, expected);
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(std::abs(y[i] - right[i]) <= 1e-5);
}

constexpr std::uint32_t some_sizes[] = {1, 2, 3, 7, 16, 33};

}  // namespace

TEST_CASE("tflite: open dimensions: Shape, StridedSlice, Pack and Reshape split heads") {
  OpenWriter w;
  const int x = w.open({-1, -1, 6});
  const int batch = w.size_of(x, 0), length = w.size_of(x, 1);
  const int heads = w.f(Code::RESHAPE, {x, w.pack({batch, length, w.integer(2), w.integer(3)})});
  const int y = w.f(Code::TRANSPOSE, {heads, w.ints({0, 2, 1, 3})});
  w.output(y);
  const int rows = w.f(Code::MUL, {batch, length}, i32, schema::MulOptionsT());
  w.output(w.f(Code::RESHAPE, {x, w.pack({rows, w.integer(-1)})}));
  Imported graph(w);
  CHECK((graph.model().inputs[0].operand.dimensions() == MLDimensions{"x0_axis0", "x0_axis1", 6}));
  for (const std::uint32_t batch_size : {1u, 2u, 5u})
    for (const std::uint32_t n : some_sizes) {
      const Tensor in = counted({batch_size, n, 6});
      const auto results = graph.run(in);
      check(results[0], {batch_size, 2, n, 3}, [&](const Dims& p) {
        return in.at({p[0], p[2], p[1] * 3 + p[3]});
      });
      check(results[1], {batch_size * n, 6}, [&](const Dims& p) {
        return in.at({p[0] / n, p[0] % n, p[1]});
      });
    }
}

TEST_CASE("tflite: open dimensions: Range, Fill, BroadcastTo, BroadcastArgs and Tile") {
  OpenWriter w;
  const int x = w.open({-1, -1});
  const int batch = w.size_of(x, 0), length = w.size_of(x, 1);
  const int places = w.f(Code::RANGE, {w.integer(0), length, w.integer(1)}, i32);
  const int shape = w.pack({batch, length});
  const int both = w.f(Code::BROADCAST_ARGS, {shape, w.pack({w.integer(1), length})}, i32);
  w.output(w.f(Code::CAST, {w.f(Code::BROADCAST_TO, {places, both}, i32)}, f32));
  const int filled = w.f(Code::FILL, {shape, w.floats({}, {0.5f})});
  w.output(w.f(Code::ADD, {filled, x}, f32, schema::AddOptionsT()));
  w.output(w.f(Code::TILE, {x, w.pack({length, w.integer(2)})}));
  Imported graph(w);
  for (const std::uint32_t rows : {1u, 3u})
    for (const std::uint32_t n : some_sizes) {
      const Tensor in = counted({rows, n});
      const auto results = graph.run(in);
      check(results[0], {rows, n}, [](const Dims& p) { return p[1]; });
      check(results[1], {rows, n}, [&](const Dims& p) { return in.at(p) + 0.5; });
      check(results[2], {rows * n, 2 * n}, [&](const Dims& p) {
        return in.at({p[0] % rows, p[1] % n});
      });
    }
}

TEST_CASE("tflite: open dimensions: an image is resized and padded to what the model computes") {
  OpenWriter w;
  const int x = w.open({1, -1, -1, 2});
  const int height = w.size_of(x, 1), width = w.size_of(x, 2);
  const auto twice = [&](int size) {
    return w.f(Code::MUL, {size, w.integer(2)}, i32, schema::MulOptionsT());
  };
  w.output(w.f(Code::RESIZE_NEAREST_NEIGHBOR, {x, w.pack({twice(height), twice(width)})}, f32,
               schema::ResizeNearestNeighborOptionsT()));
  // Padded to even numbers of rows.
  const int odd = w.f(Code::FLOOR_MOD, {height, w.integer(2)}, i32, schema::FloorModOptionsT());
  const int row = w.pack({w.integer(0), odd}), none = w.ints({0, 0});
  w.output(w.f(Code::PAD, {x, w.pack({none, row, none, none})}));
  Imported graph(w);
  for (const std::uint32_t rows : some_sizes)
    for (const std::uint32_t columns : {2u, 9u}) {
      const Tensor in = counted({1, rows, columns, 2});
      const auto results = graph.run(in);
      check(results[0], {1, rows * 2, columns * 2, 2}, [&](const Dims& p) {
        return in.at({0, p[1] / 2, p[2] / 2, p[3]});
      });
      check(results[1], {1, rows + rows % 2, columns, 2},
            [&](const Dims& p) { return p[1] < rows ? in.at(p) : 0.0; });
    }
}

TEST_CASE("tflite: open dimensions: parts of computed sizes, dimensions of 1") {
  OpenWriter w;
  const int x = w.open({-1, 4});
  const int n = w.size_of(x, 0);
  const int half = w.f(Code::FLOOR_DIV, {n, w.integer(2)}, i32, schema::FloorDivOptionsT());
  const int rest = w.f(Code::SUB, {n, half}, i32, schema::SubOptionsT());
  w.op(Code::SPLIT_V, {x, w.pack({half, rest}), w.integer(0)}, {w.result(f32), w.result(f32)},
       schema::SplitVOptionsT());
  const int back = w.last().outputs[1];
  w.output(w.last().outputs[0]);
  const int more = w.f(Code::EXPAND_DIMS, {back, w.integer(1)}, f32, schema::ExpandDimsOptionsT());
  schema::SqueezeOptionsT o;
  o.squeeze_dims = {1};
  w.output(w.f(Code::SQUEEZE, {more}, f32, o));
  Imported graph(w);
  for (const std::uint32_t rows : {2u, 3u, 7u, 20u}) {
    const Tensor in = counted({rows, 4});
    const auto results = graph.run(in);
    check(results[0], {rows / 2, 4}, [&](const Dims& p) { return in.at(p); });
    check(results[1], {rows - rows / 2, 4}, [&](const Dims& p) {
      return in.at({p[0] + rows / 2, p[1]});
    });
  }
  CHECK(thrown([&] { graph.run(counted({1, 4})); }).find("splits") != std::string::npos);
}

TEST_CASE("tflite: open dimensions: what needs a size says which") {
  const auto refused = [](auto f, const tflite::ImportOptions& options = {}) {
    OpenWriter w;
    w.output(f(w));
    MLGraphBuilder b(webnn::test::plain_context());
    return thrown([&] { tflite::import_model(b, w.file(), options); });
  };
  const auto pool = [](OpenWriter& w) {
    schema::Pool2DOptionsT o;
    o.padding = schema::Padding::SAME;
    o.stride_h = o.stride_w = 2;
    o.filter_height = o.filter_width = 3;
    return w.f(Code::AVERAGE_POOL_2D, {w.open({1, -1, 8, 2})}, f32, o);
  };
  CHECK(refused(pool) ==
        "NotSupportedError tflite: operator 0 (AVERAGE_POOL_2D): a size has to be known, but its "
        "input, tensor 0 (\"x0\"), has shape [1, \"x0_axis1\", 8, 2], which follows from dimension "
        "1 (\"x0_axis1\") of input \"x0\": give a size in the option dimensions, or a shape in the "
        "option shapes.");
  CHECK(refused(pool, {.dimensions = {{"x0_axis1", 5}}}) == "nothing");
  CHECK(refused(pool, {.shapes = {{"x0", {1, 6, 8, 2}}}}) == "nothing");
  CHECK(refused([](OpenWriter& w) {
          const int x = w.open({-1, 4});
          return w.op(Code::TOPK_V2, {x, w.size_of(x, 0)}, {w.result(f32), w.result(i32)},
                      schema::TopKV2OptionsT());
        }) ==
        "NotSupportedError tflite: operator 2 (TOPK_V2): its input 1 (tensor 5 (\"y5\")) has to be "
        "known, but follows from dimension 0 (\"x0_axis0\") of input \"x0\": give a size in the "
        "option dimensions, or a shape in the option shapes.");
}
