// Products and convolutions of integers with float results, beside sums of 64 bits and floats that
// are rounded one by one.
#include <cmath>

#include "tests/kernels/simd/quantized.h"
#include "tests/support/catch.h"
#include "tests/support/coordinates.h"

using namespace webnn;
using namespace webnn::test;

namespace {

float rounded_product(float a, float b) {
  const volatile float product = a * b;
  return product;
}
float rounded_sum(float a, float b) {
  const volatile float sum = a + b;
  return sum;
}

/// The operands of a graph: constants, or inputs with their values.
class Operands {
 public:
  explicit Operands(MLGraphBuilder& b) : b_(b) {}

  MLOperand add(const Tensor& t, bool constant) {
    if (constant) return b_.constant(t.descriptor(), InputView(t.bytes));
    names_.push_back("x" + std::to_string(names_.size()));
    values_.push_back(&t);
    return b_.input(names_.back(), t.descriptor());
  }
  std::vector<NamedInput> inputs() const {
    std::vector<NamedInput> all;
    for (std::size_t i = 0; i < names_.size(); ++i)
      all.push_back({names_[i], InputView(values_[i]->bytes)});
    return all;
  }

 private:
  MLGraphBuilder& b_;
  std::vector<std::string> names_{};
  std::vector<const Tensor*> values_{};
};

using Build = std::function<MLOperand(MLGraphBuilder&, Operands&)>;

/// The result is expected(place), bit for bit, with every instruction set and number of threads,
/// and that of the reference kernels; explain() names the kernel.
void check_bits(const Build& build, const std::function<float(const Dims&)>& expected,
                const std::string& kernel) {
  const auto check = [&](std::vector<BackendChoice> backends, int threads, bool named) {
    MLContext context({.threads = threads, .backends = std::move(backends)});
    MLGraphBuilder b(context);
    Operands operands(b);
    const MLOperand y = build(b, operands);
    Tensor out{float32, y.shape(), std::vector<std::byte>(4 * element_count(y.shape()))};
    const MLGraph graph = b.build({{"y", y}});
    const std::string explained = graph.explain();
    INFO(explained);
    REQUIRE((explained.find(kernel) != std::string::npos) == named);
    context.compute(graph, operands.inputs(), {{"y", out.bytes}});
    std::size_t wrong = 0;
    for_each_place(out.shape, [&](const Dims& at) {
      wrong += static_cast<float>(out.at(at)) != expected(at);
    });
    REQUIRE(wrong == 0);
  };
  for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
    for (const int threads : {1, 2, 8}) check({simd, "reference"}, threads, true);
  });
  check({"reference"}, 1, false);
}

struct Form {
  MLOperandDataType x = uint8, w = int8;
  bool x_constants = false;                 // scale and zero point of x
  bool by_column = false, w_zeros = false;  // several scales; zero points other than 0
  bool unit = false;                        // scales of 1, and the product scaled behind it
  bool bias = false, residual = false, relu = false;
};

/// Real numbers of the integers, and what follows the sum.
struct Case {
  Form f;
  Random random;
  Tensor x, w, x_scale, x_zero, w_scale, w_zero, factor, bias, residual{};

  Case(std::uint64_t seed, const Form& form, const Dims& x_shape, const Dims& w_shape,
       std::size_t column)
      : f(form), random(seed) {
    const std::uint32_t columns = w_shape[column];
    const Dims ones(x_shape.size(), 1);
    Dims each(w_shape.size(), 1);
    if (f.by_column) each[column] = columns;
    x = random.tensor(f.x, x_shape, lowest_of(f.x), highest_of(f.x));
    w = random.tensor(f.w, w_shape, lowest_of(f.w), highest_of(f.w));
    x_scale = filled(float32, ones, f.unit ? 1 : 0.0123);
    x_zero = random.tensor(f.x, ones, lowest_of(f.x), highest_of(f.x));
    w_scale = f.unit ? filled(float32, each, 1) : random.tensor(float32, each, 0.001, 0.02);
    w_zero = filled(f.w, each, 0);
    if (f.w_zeros) w_zero = random.tensor(f.w, each, lowest_of(f.w), highest_of(f.w));
    factor = random.tensor(float32, f.by_column ? Dims{columns} : Dims{}, 0.001, 0.02);
    bias = random.tensor(float32, {columns}, -3, 3);
  }

  MLOperand left(MLGraphBuilder& b, Operands& o) const {
    return b.dequantizeLinear(o.add(x, false), o.add(x_scale, f.x_constants),
                              o.add(x_zero, f.x_constants));
  }
  MLOperand right(MLGraphBuilder& b, Operands& o) const {
    return b.dequantizeLinear(o.add(w, true), o.add(w_scale, true), o.add(w_zero, true));
  }
  /// `row`: the shape of what belongs to columns.
  MLOperand tail(MLGraphBuilder& b, Operands& o, MLOperand y, const Dims& row) const {
    const auto shaped = [&](const MLOperand& v) { return v.rank() == 0 ? v : b.reshape(v, row); };
    if (f.unit) y = b.mul(y, shaped(o.add(factor, false)));
    if (f.bias) y = b.add(shaped(o.add(bias, true)), y);
    if (f.residual) y = b.add(y, o.add(residual, false));
    return f.relu ? b.relu(y) : y;
  }
  void add_residual(const Dims& shape) { residual = random.tensor(float32, shape, -3, 3); }

  /// An integer less its zero point.
  std::int64_t left_at(const Dims& at) const {
    return static_cast<std::int64_t>(x.at(at)) - static_cast<std::int64_t>(x_zero[0]);
  }
  std::int64_t right_at(const Dims& at, std::uint32_t column) const {
    return static_cast<std::int64_t>(w.at(at)) -
           static_cast<std::int64_t>(w_zero[f.by_column ? column : 0]);
  }
  float result(std::int64_t sum, std::uint32_t column, const Dims& at) const {
    auto v = static_cast<float>(sum);
    const std::size_t c = f.by_column ? column : 0;
    if (f.unit) {
      v = rounded_product(v, static_cast<float>(factor[c]));
    } else {
      v = rounded_product(v, static_cast<float>(x_scale[0]));
      v = rounded_product(v, static_cast<float>(w_scale[c]));
    }
    if (f.bias) v = rounded_sum(v, static_cast<float>(bias[column]));
    if (f.residual) v = rounded_sum(v, static_cast<float>(residual.at(at)));
    return f.relu ? std::max(v, 0.f) : v;
  }
};

const Form unit_forms[] = {
    {.unit = true},
    {.w = uint8, .w_zeros = true, .unit = true, .bias = true},
    {.x = int8, .by_column = true, .w_zeros = true, .unit = true, .relu = true},
    {.w = uint8, .x_constants = true, .by_column = true, .unit = true, .bias = true, .relu = true},
    {.by_column = true, .unit = true, .bias = true, .residual = true, .relu = true},
};

void check_product(std::uint64_t seed, const Form& f, Dims x_shape, std::uint32_t columns) {
  CAPTURE(seed, x_shape, columns);
  const std::uint32_t k = x_shape.back();
  Case c(seed, f, x_shape, {k, columns}, 1);
  Dims y_shape = x_shape;
  y_shape.back() = columns;
  c.add_residual(y_shape);
  check_bits(
      [&](MLGraphBuilder& b, Operands& o) {
        return c.tail(b, o, b.matmul(c.left(b, o), c.right(b, o)), {columns});
      },
      [&](const Dims& at) {
        std::int64_t sum = 0;
        Dims place = at;
        for (std::uint32_t i = 0; i < k; ++i) {
          place.back() = i;
          sum += c.left_at(place) * c.right_at({i, at.back()}, at.back());
        }
        return c.result(sum, at.back(), at);
      },
      "simd int8 gemm to float32");
}

/// With weights [batch, k, columns], a matrix for each one of x [..., batch, rows, k].
void check_matrices(std::uint64_t seed, const Form& f, Dims x_shape, std::uint32_t batch,
                    std::uint32_t columns) {
  CAPTURE(seed, x_shape, batch, columns);
  const std::uint32_t k = x_shape.back();
  Case c(seed, f, x_shape, {batch, k, columns}, 2);
  Dims y_shape = x_shape;
  y_shape.end()[-3] = batch;  // x may have one for all
  y_shape.back() = columns;
  c.add_residual(y_shape);
  check_bits(
      [&](MLGraphBuilder& b, Operands& o) {
        return c.tail(b, o, b.matmul(c.left(b, o), c.right(b, o)), {columns});
      },
      [&](const Dims& at) {
        std::int64_t sum = 0;
        Dims place = at;
        if (x_shape.end()[-3] == 1) place.end()[-3] = 0;
        for (std::uint32_t i = 0; i < k; ++i) {
          place.back() = i;
          sum += c.left_at(place) * c.right_at({at.end()[-3], i, at.back()}, at.back());
        }
        return c.result(sum, at.back(), at);
      },
      "simd int8 matmul to float32");
}

struct Image {
  std::uint32_t batch = 1, height = 6, width = 7, in = 8, out = 20, kernel_h = 3, kernel_w = 3;
  std::uint32_t groups = 1, stride = 1, dilation = 1;
  Dims padding{0, 0, 0, 0};
  bool nhwc = true;
};

void check_convolution(std::uint64_t seed, const Form& f, const Image& i,
                       const std::string& kernel) {
  CAPTURE(seed, i.in, i.out, i.kernel_h, i.groups, i.stride, i.padding, i.nhwc);
  const std::uint32_t group_in = i.in / i.groups, group_out = i.out / i.groups;
  const auto place = [&](std::uint32_t n, std::uint32_t y, std::uint32_t x, std::uint32_t c) {
    return i.nhwc ? Dims{n, y, x, c} : Dims{n, c, y, x};
  };
  Case c(seed, f, place(i.batch, i.height, i.width, i.in),
         {i.out, group_in, i.kernel_h, i.kernel_w}, 0);
  const auto size = [&](std::uint32_t in, std::uint32_t window, std::uint32_t pads) {
    return (in + pads - (window - 1) * i.dilation - 1) / i.stride + 1;
  };
  const std::uint32_t height = size(i.height, i.kernel_h, i.padding[0] + i.padding[1]),
                      width = size(i.width, i.kernel_w, i.padding[2] + i.padding[3]);
  c.add_residual(place(i.batch, height, width, i.out));
  check_bits(
      [&](MLGraphBuilder& b, Operands& o) {
        const MLOperand y = b.conv2d(
            c.left(b, o), c.right(b, o),
            {.padding = i.padding,
             .strides = {i.stride, i.stride},
             .dilations = {i.dilation, i.dilation},
             .groups = i.groups,
             .inputLayout = i.nhwc ? MLInputOperandLayout::nhwc : MLInputOperandLayout::nchw});
        return c.tail(b, o, y, place(1, 1, 1, i.out));
      },
      [&](const Dims& at) {
        const std::uint32_t column = i.nhwc ? at[3] : at[1], y = at[i.nhwc ? 1 : 2],
                            x = at[i.nhwc ? 2 : 3];
        std::int64_t sum = 0;
        for (std::uint32_t ky = 0; ky < i.kernel_h; ++ky)
          for (std::uint32_t kx = 0; kx < i.kernel_w; ++kx) {
            const std::uint32_t row = y * i.stride + ky * i.dilation - i.padding[0],
                                col = x * i.stride + kx * i.dilation - i.padding[2];
            if (row >= i.height || col >= i.width) continue;  // below zero wraps
            for (std::uint32_t k = 0; k < group_in; ++k)
              sum += c.left_at(place(at[0], row, col, column / group_out * group_in + k)) *
                     c.right_at({column, k, ky, kx}, column);
          }
        return c.result(sum, column, at);
      },
      kernel);
}

}  // namespace

TEST_CASE("int8 products with float results: shapes, types, zero points", "[quantized]") {
  std::uint64_t seed = 900;
  for (const Form& f : unit_forms)
    for (const auto& [shape, columns] : {std::pair(Dims{1, 64}, 10u),
                                         {{1, 257}, 130},
                                         {{7, 3}, 5},
                                         {{2, 15, 70}, 33},
                                         {{49, 130}, 200},
                                         {{2, 3, 4, 20}, 17}})
      check_product(++seed, f, shape, columns);
}

TEST_CASE("int8 products with float results: matrices that differ from batch to batch",
          "[quantized]") {
  std::uint64_t seed = 960;
  for (const Form& f : unit_forms) {
    check_matrices(++seed, f, {3, 1, 64}, 3, 33);
    check_matrices(++seed, f, {2, 4, 5, 30}, 4, 7);
    check_matrices(++seed, f, {1, 70, 131}, 2, 128);
    check_matrices(++seed, f, {2, 49, 20}, 2, 70);
  }
}

TEST_CASE("int8 convolutions with float results: padding has the zero point", "[quantized]") {
  std::uint64_t seed = 950;
  const std::string conv = "simd int8 conv to float32";
  for (const Form& f : unit_forms)
    for (const bool nhwc : {true, false}) {
      check_convolution(++seed, f, {.nhwc = nhwc}, conv);
      check_convolution(++seed, f, {.batch = 2, .padding = {1, 1, 1, 1}, .nhwc = nhwc}, conv);
      check_convolution(
          ++seed, f, {.out = 33, .kernel_w = 1, .stride = 2, .padding = {2, 0, 1, 3}, .nhwc = nhwc},
          conv);
      check_convolution(
          ++seed, f,
          {.in = 12, .out = 40, .groups = 2, .dilation = 2, .padding = {2, 2, 2, 2}, .nhwc = nhwc},
          conv);
      check_convolution(++seed, f, {.batch = 2, .kernel_h = 1, .kernel_w = 1, .nhwc = nhwc},
                        "simd int8 conv 1x1 to float32");
    }
}

TEST_CASE("int8 products with float results: scales of dequantizeLinear", "[quantized]") {
  // The composition rounds each product, so that it is only near the kernel.
  for (const Form& f : {Form{}, Form{.x = int8, .w = uint8, .by_column = true, .w_zeros = true},
                        Form{.x_constants = true, .by_column = true, .bias = true, .relu = true}}) {
    const std::uint32_t rows = 5, k = 300, columns = 70;
    Case c(980, f, {rows, k}, {k, columns}, 1);
    for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
      MLContext context({.threads = 2, .backends = {simd, "reference"}});
      MLGraphBuilder b(context);
      Operands o(b);
      const MLOperand y = c.tail(b, o, b.gemm(c.left(b, o), c.right(b, o)), {columns});
      Tensor out{float32, y.shape(), std::vector<std::byte>(4 * rows * columns)};
      const MLGraph graph = b.build({{"y", y}});
      REQUIRE(graph.explain().find("simd int8 gemm to float32") != std::string::npos);
      context.compute(graph, o.inputs(), {{"y", out.bytes}});
      for_each_place(out.shape, [&](const Dims& at) {
        std::int64_t sum = 0;
        for (std::uint32_t i = 0; i < k; ++i)
          sum += c.left_at({at[0], i}) * c.right_at({i, at[1]}, at[1]);
        REQUIRE(static_cast<float>(out.at(at)) == c.result(sum, at[1], at));
      });
    });
  }
}

TEST_CASE("int8 products with float results: an activation that is no clamp follows",
          "[quantized]") {
  Case c(990, {.unit = true, .bias = true}, {9, 40}, {40, 150}, 1);
  for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
    std::vector<Tensor> results;
    for (const BackendChoice& backend : {BackendChoice(simd), BackendChoice("reference")}) {
      MLContext context({.threads = 2, .backends = {backend, "reference"}});
      MLGraphBuilder b(context);
      Operands o(b);
      const MLOperand y = b.gelu(c.tail(b, o, b.matmul(c.left(b, o), c.right(b, o)), {150}));
      results.push_back({float32, y.shape(), std::vector<std::byte>(4 * 9 * 150)});
      const MLGraph graph = b.build({{"y", y}});
      CHECK((graph.explain().find("int8 gemm to float32+gelu") != std::string::npos) ==
            (results.size() < 2));
      context.compute(graph, o.inputs(), {{"y", results.back().bytes}});
    }
    for (std::size_t i = 0; i < results[0].size(); ++i)
      REQUIRE(std::abs(results[0][i] - results[1][i]) <= 1e-6 * (1 + std::abs(results[1][i])));
  });
}

TEST_CASE("int8 products with float results: sums that fill 32 bits", "[quantized]") {
  for (const auto& [x, zero, w] : {std::tuple(255., 0., 127.), {0., 255., 127.}, {255., 0., -128.}})
    for (const std::uint32_t k : {1000u, 65000u, 67000u}) {
      CAPTURE(x, zero, w, k);
      for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
        MLContext context({.threads = 1, .backends = {simd, "reference"}});
        MLGraphBuilder b(context);
        const Tensor values = filled(uint8, {1, k}, x), weights = filled(int8, {k, 1}, w);
        const auto constant = [&](const Tensor& t) { return b.constant(t.descriptor(), t.bytes); };
        const auto real = [&](const MLOperand& q, double z) {
          return b.dequantizeLinear(q, constant(filled(float32, {1, 1}, 1)),
                                    constant(filled(q.dataType(), {1, 1}, z)));
        };
        const MLOperand y =
            b.gemm(real(b.input("x", values.descriptor()), zero), real(constant(weights), 0));
        const MLGraph graph = b.build({{"y", y}});
        std::vector<float> out(1);
        context.compute(graph, {{"x", values.bytes}}, {{"y", out}});
        // 67000 * 255 * 128 is more than 2^31: floats are summed.
        CHECK(out[0] == Approx((x - zero) * w * k).epsilon(k < 66000 ? 1e-7 : 1e-4));
        CHECK((graph.explain().find("to float32") != std::string::npos) == (k < 66000));
      });
    }
}

TEST_CASE("int8 products with float results: scales with which an element may be infinite",
          "[quantized]") {
  for (const double scale : {3.4e38, 2e14, double{NAN}, double{INFINITY}, 1e13})
    for (const bool left : {false, true})
      for_int8_targets([&](const std::shared_ptr<const Backend>& simd) {
        CAPTURE(scale, left);
        MLContext context({.threads = 1, .backends = {simd, "reference"}});
        MLGraphBuilder b(context);
        const auto constant = [&](const Tensor& t) { return b.constant(t.descriptor(), t.bytes); };
        const auto real = [&](const MLOperand& q, bool large) {
          return b.dequantizeLinear(q, constant(filled(float32, {1, 1}, large ? scale : 0.5)),
                                    constant(filled(q.dataType(), {1, 1}, 0)));
        };
        const MLOperand x = b.input("x", {uint8, {3, 64}});
        const MLOperand y = b.gemm(real(x, left), real(constant(filled(int8, {64, 64}, 3)), !left));
        const std::string text = b.build({{"y", y}}).explain();
        CHECK((text.find("to float32") != std::string::npos) == (scale < 1e14));
      });
}

TEST_CASE("int8 products with float results: scales that are computed, and no numbers or large",
          "[quantized]") {
  // A product, and a convolution with padding and groups.
  struct Shapes {
    Dims x, w;
    bool convolution;
  };
  const Shapes product{{5, 39}, {39, 70}, false}, convolution{{2, 5, 4, 6}, {10, 3, 2, 3}, true};
  for (const Shapes& s : {product, convolution})
    for (const float scale : {0x1p100f, 0x1p47f, -INFINITY, NAN, INFINITY, 0.5f})
      for (const bool left : {false, true})
        for (const int threads : {1, 2}) {
          CAPTURE(s.convolution, scale, left, threads);
          Random random(7);
          const Tensor x = random.tensor(uint8, s.x, 100, 104), w = random.tensor(int8, s.w, -3, 3);
          const Dims ones(s.x.size(), 1);
          const auto result = [&](std::vector<BackendChoice> backends, bool named) {
            MLContext context({.threads = threads, .backends = std::move(backends)});
            MLGraphBuilder b(context);
            const auto number = [&](MLOperandDataType type, double v) {
              const Tensor t = filled(type, ones, v);
              return b.constant(t.descriptor(), t.bytes);
            };
            const MLOperand computed = b.input("scale", {float32, ones});
            const auto real = [&](const MLOperand& q, bool is_left, double zero) {
              return b.dequantizeLinear(q, is_left == left ? computed : number(float32, 0.25),
                                        number(q.dataType(), zero));
            };
            const MLOperand a = real(b.input("x", x.descriptor()), true, 101),
                            c = real(b.constant(w.descriptor(), w.bytes), false, 1);
            const MLOperand sum =
                s.convolution ? b.conv2d(a, c,
                                         {.padding = {1, 0, 1, 1},
                                          .groups = 2,
                                          .inputLayout = MLInputOperandLayout::nhwc,
                                          .filterLayout = MLConv2dFilterOperandLayout::ohwi})
                              : b.matmul(a, c);
            const MLOperand y = b.clamp(b.add(sum, number(float32, 3)), {.maxValue = 1e38});
            const MLGraph graph = b.build({{"y", y}});
            REQUIRE((graph.explain().find("to float32") != std::string::npos) == named);
            std::vector<float> out(element_count(y.shape()));
            context.compute(graph, {{"x", x.bytes}, {"scale", std::as_bytes(std::span(&scale, 1))}},
                            {{"y", out}});
            return out;
          };
          const std::vector<float> expected = result({"reference"}, false);
          const auto check = [&](const std::shared_ptr<const Backend>& simd) {
            const std::vector<float> y = result({simd, "reference"}, true);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < y.size(); ++i)
              wrong += !(std::isnan(expected[i])
                             ? std::isnan(y[i])
                             : y[i] == expected[i] ||
                                   std::abs(y[i] - expected[i]) <= 1e-6f * std::abs(expected[i]));
            CHECK(wrong == 0);
          };
          for_int8_targets(check);
        }
}
