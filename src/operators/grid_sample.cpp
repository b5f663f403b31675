// webnn.GridSample: where a grid reads an image. Each place of the result has up to 16 places of
// the image and their weights, which all channels share.
// https://onnx.ai/onnx/operators/onnx__GridSample.html
#include <algorithm>
#include <cmath>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

enum class Mode : std::uint8_t { nearest, linear, cubic };
enum class Padding : std::uint8_t { zeros, border, reflection };

Mode mode_of(const CustomCall& call) {
  return enumerator<Mode>(
      call, "mode", {{"nearest", Mode::nearest}, {"linear", Mode::linear}, {"cubic", Mode::cubic}});
}
Padding padding_of(const CustomCall& call) {
  return enumerator<Padding>(call, "padding",
                             {{"zeros", Padding::zeros},
                              {"border", Padding::border},
                              {"reflection", Padding::reflection}});
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 2, 2);
  const Mode mode = mode_of(call);
  padding_of(call);
  const auto& [type, x] = call.inputs[0];
  const auto& [grid_type, grid] = call.inputs[1];
  if (!types::floats.contains(type)) refuse(fail("the data type of its image is {}", type));
  if (!types::floats.contains(grid_type))
    refuse(fail("the data type of its grid is {}", grid_type));
  if (x.size() != 4 && x.size() != 5)
    refuse(fail("the rank of its image is {}, not 4 or 5", x.size()));
  if (x.size() == 5 && mode == Mode::cubic) refuse(fail("its image has three dimensions"));
  constexpr std::uint32_t most = 1 << 23;  // which floats count without gaps
  if (std::ranges::any_of(x.begin() + 2, x.end(), [](std::uint32_t n) { return n > most; }))
    refuse(fail("a dimension of its image of shape {} is greater than {}", x, most));
  if (grid.size() != x.size() || grid.back() != x.size() - 2 || grid[0] != x[0])
    refuse(fail("its grid of shape {} is not [{}, {}height, width, {}]", grid, x[0],
                x.size() == 5 ? "depth, " : "", x.size() - 2));
  Dims shape(grid.begin(), grid.end() - 1);
  shape.insert(shape.begin() + 1, x[1]);
  return {{type, shape}};
}

/// One dimension of the image.
struct Line {
  float size;
  bool corners;  // -1 and 1 are the centers of the outermost elements, not their outer edges
  Padding padding;

  float first() const { return corners ? 0 : -0.5f; }
  float last() const { return corners ? size - 1 : size - 0.5f; }
  float reflected(float x) const {
    const float low = first(), range = last() - low;
    if (range <= 0) return 0;
    const float distance = std::abs(x - low), times = std::floor(distance / range);
    const float rest = distance - times * range;
    return std::fmod(times, 2.0f) == 0 ? low + rest : low + range - rest;
  }
  /// Where a coordinate of the grid lies: a number of a size that has an integer.
  float place(float v) const {
    constexpr float far = 1e7f;
    const float x = corners ? (v + 1) / 2 * (size - 1) : ((v + 1) * size - 1) / 2;
    return std::isnan(x) ? -far : std::clamp(x, -far, far);
  }
  /// A place that is outside, as the padding moves it.
  float padded(float x) const {
    if (x >= first() && x <= last()) return x;
    if (padding == Padding::border) return std::clamp(x, 0.0f, size - 1);
    return padding == Padding::reflection ? reflected(x) : x;
  }
  /// The element at an index, which may be outside; -1 for zero.
  std::int64_t element(float i) const {
    if (i >= 0 && i <= size - 1) return static_cast<std::int64_t>(i);
    if (padding == Padding::zeros) return -1;
    const float moved = padding == Padding::border ? i : std::nearbyint(reflected(i));
    return static_cast<std::int64_t>(std::clamp(moved, 0.0f, size - 1));
  }
};

/// The elements along a dimension that a place reads, and their weights.
struct Taps {
  std::int64_t at[4] = {-1, -1, -1, -1};
  float weight[4] = {1, 0, 0, 0};
  int count = 1;
};

/// The weights of cubic convolution, with -0.75 as its constant.
void set_cubic(float t, float* weight) {
  constexpr float a = -0.75f;
  const auto near = [&](float d) { return ((a + 2) * d - (a + 3)) * d * d + 1; };
  const auto far = [&](float d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
  weight[0] = far(t + 1), weight[1] = near(t), weight[2] = near(1 - t), weight[3] = far(2 - t);
}

Taps taps_of(const Line& line, Mode mode, float v) {
  Taps taps;
  float x = line.place(v);
  if (mode == Mode::nearest) x = std::nearbyint(x);
  x = line.padded(x);
  if (mode == Mode::nearest) {
    taps.at[0] = line.element(std::nearbyint(x));
    return taps;
  }
  const float below = std::floor(x), t = x - below;
  const bool cubic = mode == Mode::cubic;
  taps.count = cubic ? 4 : 2;
  for (int i = 0; i < taps.count; ++i)
    taps.at[i] = line.element(below + static_cast<float>(cubic ? i - 1 : i));
  if (cubic) set_cubic(t, taps.weight);
  else taps.weight[0] = 1 - t, taps.weight[1] = t;
  return taps;
}

/// An image without depth has one of 1.
struct Form {
  std::size_t batch, channels, in_width, in_size, size, rows, width, axes;
  Line x, y, z;
  Mode mode;

  explicit Form(const CustomCall& call) : Form(call, call.inputs[0].shape, call.outputs[0].shape) {}

 private:
  Form(const CustomCall& call, const Dims& from, const Dims& to)
      : batch(from[0]),
        channels(from[1]),
        in_width(from.back()),
        in_size(in_width * from[from.size() - 2]),
        size(in_size * (from.size() == 5 ? from[2] : 1)),
        rows(to[2] * (to.size() == 5 ? std::size_t{to[3]} : 1)),
        width(to.back()),
        axes(from.size() - 2),
        x{static_cast<float>(from.back()), call.attribute<bool>("alignCorners"), padding_of(call)},
        y{static_cast<float>(from[from.size() - 2]), x.corners, x.padding},
        z{static_cast<float>(from.size() == 5 ? from[2] : 1), x.corners, x.padding},
        mode(mode_of(call)) {}
};

/// The weighted sum of an image's elements.
template <class T>
float sampled(const Form& f, const T* image, const Taps& down, const Taps& across) {
  float sum = 0;
  for (int k = 0; k < down.count; ++k) {
    if (down.at[k] < 0) continue;
    const T* from = image + static_cast<std::size_t>(down.at[k]) * f.in_width;
    float part = 0;
    for (int j = 0; j < across.count; ++j)
      if (across.at[j] >= 0) part += across.weight[j] * static_cast<float>(from[across.at[j]]);
    sum += down.weight[k] * part;
  }
  return sum;
}

template <class T, class G> void run_row(const Form& f, std::size_t row, const Buffers& b) {
  const std::size_t n = row / f.rows, line = row % f.rows;
  const G* grid = b.in<G>(1) + row * f.width * f.axes;
  const Taps front{.at = {0, -1, -1, -1}};
  for (std::size_t i = 0; i < f.width; ++i) {
    const G* place = grid + i * f.axes;
    const Taps across = taps_of(f.x, f.mode, static_cast<float>(place[0]));
    const Taps down = taps_of(f.y, f.mode, static_cast<float>(place[1]));
    const Taps deep = f.axes == 3 ? taps_of(f.z, f.mode, static_cast<float>(place[2])) : front;
    for (std::size_t c = 0; c < f.channels; ++c) {
      const T* image = b.in<T>(0) + (n * f.channels + c) * f.size;
      float sum = 0;
      for (int k = 0; k < deep.count; ++k)
        if (deep.at[k] >= 0)
          sum += deep.weight[k] *
                 sampled(f, image + static_cast<std::size_t>(deep.at[k]) * f.in_size, down, across);
      b.out<T>()[((n * f.channels + c) * f.rows + line) * f.width + i] = static_cast<T>(sum);
    }
  }
}

template <class T, class G> Lowering lower_typed(const CustomCall& call) {
  const Form f(call);
  const std::size_t rows = f.batch * f.rows;
  const int each = rows_of_a_tile(f.width * (f.channels * 4 + 16));
  return Candidate{.name = "grid_sample",
                   .tiles = tiles_of(rows, each),
                   .run = [=](Range r, const Buffers& b, std::byte*) {
                     const auto n = static_cast<std::size_t>(each);
                     const std::size_t end = std::min(rows, static_cast<std::size_t>(r.end) * n);
                     for (auto row = static_cast<std::size_t>(r.begin) * n; row < end; ++row)
                       run_row<T, G>(f, row, b);
                   }};
}

Lowering lower(const CustomCall& call) {
  return with_float(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) {
    return with_float(call.inputs[1].dataType,
                      [&]<class G>(std::type_identity<G>) { return lower_typed<T, G>(call); });
  });
}

}  // namespace

const Definition& grid_sample() {
  static const Definition one = custom_operator(
      {.name = "webnn.GridSample",
       .attributes = {{"mode", "linear"}, {"padding", "zeros"}, {"alignCorners", false}},
       .infer = &infer,
       .compute = computed_by(&lower),
       .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
