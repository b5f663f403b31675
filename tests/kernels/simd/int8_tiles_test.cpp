// Products of bytes by tiles: bit for bit those of the other kernels, whatever their tails.
#include <cstring>

#include "src/kernels/common/sizes.h"
#include "src/kernels/simd/backend.h"
#include "src/kernels/simd/quantized/weights.h"
#include "src/kernels/simd/vector/int8/float_gemm.h"
#include "tests/kernels/simd/quantized.h"
#include "tests/kernels/simd/support.h"

namespace webnn::inline v0_1::test {
namespace {

using simd::Int8DotProduct, simd::Int8Gemm, simd::Int8Tiles;

/// The ways in which this machine has tiles, with the instruction set in use.
std::vector<Int8DotProduct> ways_of_tiles() {
  std::vector<Int8DotProduct> all;
  if (simd::can_emulate_int8_tiles()) all.push_back(Int8DotProduct::emulated_tiles);
  if (are_tiles(simd::int8_dot_product())) all.push_back(Int8DotProduct::tiles);
  return all;
}

struct Sizes {
  std::size_t rows = 16, k = 64, segments = 1, columns = 64;
  std::size_t line_rows = 0;  ///< 0: all rows in one line
  std::size_t staged = 0;     ///< rows that are copied at a time; 0: as kernels choose them
};
std::ostream& operator<<(std::ostream& s, const Sizes& z) {
  return s << z.rows << " rows of " << z.segments << " * " << z.k << " terms, " << z.columns
           << " columns, lines of " << z.line_rows << " rows, " << z.staged << " at a time";
}

/// A product whose operands are bytes of every value; nothing is readable behind x.
class Product {
 public:
  Product(std::mt19937& random, const Sizes& z, Requantization requantization)
      : z_(z),
        arrays_(z.columns + 3 * simd::int8_lanes(), requantization),
        columns_(arrays_.bytes()),
        terms_(2 * (z.columns + 64)) {
    const auto lanes = to_size(simd::int8_lanes());
    const auto below = [&](std::size_t n) { return random() % n; };
    vectors_ = divide_up(z.columns, lanes);
    g_.k = z.k;
    g_.segments = z.segments;
    g_.flip = below(2) ? 0x80 : 0;
    g_.columns = static_cast<int>(z.columns);
    g_.x_stride = z.k + below(9);
    g_.result = {.zero = static_cast<std::int32_t>(below(256)),
                 .low = static_cast<std::uint8_t>(below(9)),
                 .high = static_cast<std::uint8_t>(250 + below(6)),
                 .flip = static_cast<std::uint8_t>(below(2) ? 0x80 : 0)};
    std::size_t at = 0;
    for (std::size_t s = 0; s < z.segments; ++s, at += z.k + below(70)) offsets_.push_back(at);
    g_.offsets = offsets_.data();
    if (z.line_rows > 0) {
      g_.line_rows = z.line_rows;
      g_.line_stride = z.line_rows * g_.x_stride + below(100);
    }
    const std::size_t bytes = g_.row_at(z.rows - 1) + offsets_.back() + z.k;
    x_.emplace(divide_up(bytes, std::size_t{4}), true);
    from_ = reinterpret_cast<std::uint8_t*>(x_->data()) + (4 * x_->size() - bytes);
    for (std::size_t i = 0; i < bytes; ++i) from_[i] = static_cast<std::uint8_t>(random());
    w_.resize(g_.quads() * vectors_ * lanes * 4);
    const std::size_t each = divide_up(z.k, std::size_t{4});
    for (std::size_t i = 0; i < w_.size(); ++i) {
      const std::size_t panel = i / (4 * lanes * 4 * g_.quads()),
                        wide = std::min<std::size_t>(4, vectors_ - 4 * panel),
                        quad = i % (4 * lanes * 4 * g_.quads()) / (wide * lanes * 4);
      const bool is_term = quad % each * 4 + i % 4 < z.k;  // zeros are behind those of a segment
      w_[i] = is_term ? static_cast<std::int8_t>(random()) : std::int8_t{0};
    }
    const bool zeros = below(2);
    const auto unit = 1.0 / static_cast<double>(64 * z.k * z.segments);
    for (std::size_t c = 0; c < vectors_ * lanes; ++c) {
      const double scale = unit * static_cast<double>(1 + below(100)) / 100;
      arrays_.set(columns_.data(), c,
                  {.bias = static_cast<std::int32_t>(below(20001)) - 10000,
                   .zero = zeros ? static_cast<std::int32_t>(below(256)) - 128 : 0,
                   .fixed = simd::fixed_point(scale),
                   .scale = static_cast<float>(scale),
                   .offset = static_cast<float>(below(1000)) / 100});
    }
    g_.w = w_.data();
    g_.bias = arrays_.bias(columns_.data());
    if (zeros) g_.w_zero = arrays_.zero(columns_.data());
    g_.scale = arrays_.scale(columns_.data());
    for (float& t : terms_) t = static_cast<float>(below(2001)) / 1000 - 1;
  }

  int panels() const { return static_cast<int>(divide_up(vectors_, std::size_t{4})); }
  std::vector<std::uint8_t> bytes(Int8DotProduct how, int first, int last) const {
    std::vector<std::uint8_t> y(z_.rows * (z_.columns + 5), 0xaa);
    call(how, [&](const Int8Gemm& g) { int8_gemm(g, z_.rows, first, last, from_, y.data()); });
    return y;
  }
  std::vector<float> floats(Int8DotProduct how, int first, int last) const {
    std::vector<float> y(z_.rows * (z_.columns + 5), -7);
    const simd::FloatTerm terms[] = {{.data = terms_.data(), .multiplies = true},
                                     {.data = terms_.data() + 64 + z_.columns}};
    call(how, [&](const Int8Gemm& g) {
      int8_float_gemm(g, {.x_zero = 131, .terms = terms}, z_.rows, first, last, from_, y.data());
    });
    return y;
  }

 private:
  template <class F> void call(Int8DotProduct how, F f) const {
    Int8Gemm g = g_;
    g.dot_product = how;
    g.y_stride = z_.columns + 5;
    std::vector<std::byte> scratch;
    if (are_tiles(how)) {
      g.staged = simd::StagedRows(z_.rows, g.quads());
      if (z_.staged > 0) g.staged.rows = z_.staged;
      scratch.assign(g.staged.bytes(), std::byte{0x5b});
      g.tile_scratch = scratch.data();
    }
    f(g);
  }

  Sizes z_;
  simd::ColumnArrays arrays_;
  std::vector<std::byte> columns_;
  std::vector<float> terms_;
  std::size_t vectors_ = 0;
  Int8Gemm g_{};
  std::vector<std::size_t> offsets_{};
  std::optional<Guarded> x_{};
  std::uint8_t* from_ = nullptr;
  std::vector<std::int8_t> w_{};
};

void check(std::mt19937& random, const Sizes& z) {
  INFO(z);
  for (const auto requantization : {Requantization::floats, Requantization::fixedPoint}) {
    const Product p(random, z, requantization);
    for (const Int8DotProduct how : ways_of_tiles())
      for (int first = 0; first < std::min(2, p.panels()); ++first) {
        const int last = first == 0 && random() % 3 == 0 ? 1 : p.panels();
        REQUIRE((p.bytes(how, first, last) == p.bytes(Int8DotProduct::emulated, first, last)));
        if (requantization == Requantization::fixedPoint) continue;
        REQUIRE((p.floats(how, first, last) == p.floats(Int8DotProduct::emulated, first, last)));
      }
  }
}

}  // namespace

TEST_CASE("int8 tiles: rows, terms and columns that are not whole tiles") {
  for_targets([] {
    std::mt19937 random(1);
    for (const std::size_t rows : {1, 7, 8, 15, 16, 17, 31, 32, 33, 47, 65, 100})
      for (const std::size_t columns : {1, 15, 16, 17, 33, 49, 64, 65, 100, 129})
        check(random, {.rows = rows, .k = 1 + random() % 300, .columns = columns});
    for (std::size_t k = 1; k < 140; ++k) check(random, {.rows = 9, .k = k, .columns = 1 + k});
  });
}

TEST_CASE("int8 tiles: segments, lines, rows that are copied in parts") {
  for_targets([] {
    std::mt19937 random(2);
    for (int i = 0; i < 250; ++i) {
      Sizes z{.rows = 8 + random() % 90,
              .k = 1 + random() % (i % 2 == 0 ? 20 : 200),
              .segments = 1 + random() % 9,
              .columns = 1 + random() % 140};
      if (random() % 2 == 0) z.line_rows = 1 + random() % 40;
      if (random() % 2 == 0) z.staged = 1 + random() % 50;
      check(random, z);
    }
    check(random, {.rows = 40, .k = 8190, .columns = 70});
  });
}

namespace {

struct Compared {
  std::vector<Tensor> inputs;
  std::function<MLOperand(MLGraphBuilder&, std::span<const MLOperand>)> build;
};
/// The bytes of the result and the text of explain().
std::pair<std::vector<std::byte>, std::string> run(const Compared& c, Int8Tiles tiles,
                                                   int threads) {
  MLContext context(
      {.threads = threads, .backends = {simd::make_backend({.int8_tiles = tiles}), "reference"}});
  MLGraphBuilder b(context);
  std::vector<MLOperand> operands;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) names.push_back("x" + std::to_string(i));
  std::vector<NamedInput> inputs;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    operands.push_back(b.input(names[i], c.inputs[i].descriptor()));
    inputs.push_back({names[i], InputView(c.inputs[i].bytes)});
  }
  const MLOperand y = c.build(b, operands);
  const MLGraph graph = b.build({{"y", y}});
  std::vector<std::byte> out(element_count(y.shape()) * to_size(bits_of(y.dataType())) / 8);
  context.compute(graph, inputs, {{"y", out}});
  return {std::move(out), graph.explain()};
}
void check_graph(const Compared& c, const std::string& kernel) {
  for_targets([&] {
    if (!simd::can_emulate_int8_tiles()) return;
    const auto expected = run(c, Int8Tiles::off, 1);
    CHECK(expected.second.find(" amx") == std::string::npos);
    for (const Int8Tiles tiles : {Int8Tiles::emulated, Int8Tiles::on})
      for (const int threads : {1, 2, 8}) {
        const auto [y, text] = run(c, tiles, threads);
        INFO(text);
        if (tiles == Int8Tiles::emulated || are_tiles(simd::int8_dot_product()))
          CHECK(text.find("simd " + kernel + " amx") != std::string::npos);
        CHECK((y == expected.first));
      }
  });
}

Tensor bytes_of(std::uint64_t seed, MLOperandDataType type, Dims shape) {
  return Random(seed).tensor(type, std::move(shape), lowest_of(type), highest_of(type));
}
MLOperand real(MLGraphBuilder& b, const MLOperand& x, double scale, double zero) {
  const Dims ones(x.rank(), 1);
  const auto constant = [&](const Tensor& t) { return b.constant(t.descriptor(), t.bytes); };
  return b.dequantizeLinear(x, constant(filled(float32, ones, scale)),
                            constant(filled(x.dataType(), ones, zero)));
}
MLOperand weights(MLGraphBuilder& b, MLOperandDataType type, Dims shape, double zero) {
  const Tensor t = bytes_of(99, type, std::move(shape));
  return real(b, b.constant(t.descriptor(), t.bytes), 0.01, zero);
}
MLOperand quantized(MLGraphBuilder& b, const MLOperand& y, MLOperandDataType type, double scale) {
  const Dims ones(y.rank(), 1);
  const Tensor s = filled(float32, ones, scale), z = filled(type, ones, 3);
  return b.quantizeLinear(y, b.constant(s.descriptor(), s.bytes),
                          b.constant(z.descriptor(), z.bytes));
}

}  // namespace

TEST_CASE("int8 tiles: products") {
  for (const MLOperandDataType x : {uint8, int8})
    for (const double w_zero : {0., 5.})
      for (const bool to_bytes : {true, false}) {
        check_graph({{bytes_of(1, x, {70, 150})},
                     [=](MLGraphBuilder& b, auto v) {
                       const MLOperand y =
                           b.gemm(real(b, v[0], 0.02, 7), weights(b, int8, {150, 90}, w_zero));
                       return to_bytes ? quantized(b, y, x, 0.7) : y;
                     }},
                    to_bytes ? "int8 gemm" : "int8 gemm to float32");
        check_graph({{bytes_of(2, x, {3, 40, 132})},
                     [=](MLGraphBuilder& b, auto v) {
                       const MLOperand y = b.matmul(real(b, v[0], 0.02, 7),
                                                    weights(b, uint8, {3, 132, 70}, w_zero));
                       return to_bytes ? quantized(b, y, x, 0.7) : y;
                     }},
                    to_bytes ? "int8 matmul" : "int8 matmul to float32");
      }
  check_graph({{bytes_of(3, int8, {2, 300, 68}), bytes_of(4, uint8, {2, 68, 150})},
               [](MLGraphBuilder& b, auto v) {
                 return quantized(b, b.matmul(real(b, v[0], 0.02, 7), real(b, v[1], 0.02, 130)),
                                  uint8, 0.7);
               }},
              "int8 matmul");
}

TEST_CASE("int8 tiles: convolutions") {
  struct Image {
    Dims x, filter;
    MLConv2dOptions o;
    std::string kernel = "int8 conv";
  };
  const Image images[] = {
      {{1, 9, 8, 72}, {70, 1, 1, 72}, {}, "int8 conv 1x1"},
      {{2, 14, 14, 24}, {40, 3, 3, 24}, {.padding = {1, 1, 1, 1}}},
      {{1, 5, 60, 33}, {20, 3, 3, 33}, {.padding = {1, 1, 1, 1}, .strides = {2, 1}}},
      {{1, 15, 33, 12}, {17, 5, 5, 12}, {.strides = {2, 2}}},
      {{1, 13, 13, 16}, {66, 3, 3, 16}, {.padding = {2, 2, 2, 2}, .dilations = {2, 2}}},
      {{1, 10, 11, 64}, {40, 3, 3, 32}, {.padding = {1, 1, 1, 1}, .groups = 2}}};
  for (Image i : images)
    for (const MLOperandDataType x : {uint8, int8})
      for (const double w_zero : {0., 5.})
        for (const bool to_bytes : {true, false}) {
          i.o.inputLayout = MLInputOperandLayout::nhwc;
          i.o.filterLayout = MLConv2dFilterOperandLayout::ohwi;
          check_graph({{bytes_of(5, x, i.x)},
                       [&](MLGraphBuilder& b, auto v) {
                         const MLOperand y = b.conv2d(real(b, v[0], 0.02, 7),
                                                      weights(b, int8, i.filter, w_zero), i.o);
                         return to_bytes ? quantized(b, y, x, 0.7) : y;
                       }},
                      to_bytes ? i.kernel : i.kernel + " to float32");
        }
  check_graph({{bytes_of(6, int8, {1, 6, 40, 64})},
               [](MLGraphBuilder& b, auto v) {
                 return quantized(b,
                                  b.convTranspose2d(
                                      real(b, v[0], 0.02, 7), weights(b, int8, {50, 4, 4, 64}, 0),
                                      {.padding = {1, 1, 1, 1},
                                       .strides = {2, 2},
                                       .inputLayout = MLInputOperandLayout::nhwc,
                                       .filterLayout = MLConvTranspose2dFilterOperandLayout::ohwi}),
                                  uint8, 0.7);
               }},
              "int8 phases");
}

TEST_CASE("int8 tiles: not for few rows or terms") {
  const auto by_tiles = [](std::uint32_t rows, std::uint32_t k) {
    const Compared c{{bytes_of(7, uint8, {rows, k})}, [=](MLGraphBuilder& b, auto v) {
                       return quantized(
                           b, b.gemm(real(b, v[0], 0.02, 7), weights(b, int8, {k, 64}, 0)), uint8,
                           0.7);
                     }};
    return run(c, Int8Tiles::emulated, 1).second.find(" amx") != std::string::npos;
  };
  if (!simd::can_emulate_int8_tiles()) return;
  CHECK(by_tiles(64, 64));
  CHECK(!by_tiles(63, 64));
  CHECK(by_tiles(16, 256));
  CHECK(!by_tiles(15, 512));
  CHECK(!by_tiles(500, 60));
  CHECK(by_tiles(16, 8192));
  CHECK(!by_tiles(16, 8196));
}

}  // namespace webnn::inline v0_1::test
