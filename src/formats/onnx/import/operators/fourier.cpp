// Fourier transforms of known lengths, as products with sines and cosines and as convolutions with
// them, and the matrix from a spectrum to bands of mel frequencies.
#include <cmath>
#include <numbers>

#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {
namespace {

constexpr std::uint64_t most_weights = 1 << 24;

void check_weights(Call& c, std::int64_t n, std::int64_t bins) {
  if (static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(bins) > most_weights)
    c.unsupported(fail("a transform of {} elements to {}", n, bins));
}

/// factor * cos, or sin, of 2 pi i k / n: of places (i) by bins (k). The angle is reduced before it
/// is a double, so that it is as exact for high frequencies.
template <double (*F)(double)>
std::vector<float> basis(std::int64_t n, std::int64_t length, std::int64_t bins, double factor) {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(length * bins));
  for (std::int64_t i = 0; i < length; ++i)
    for (std::int64_t k = 0; k < bins; ++k)
      all.push_back(
          static_cast<float>(factor * F(2 * std::numbers::pi * static_cast<double>(i * k % n) /
                                        static_cast<double>(n))));
  return all;
}
double cosine(double x) { return std::cos(x); }
double sine(double x) { return std::sin(x); }

/// x with its axis last, and back.
Dims axis_last(std::uint32_t axis, std::uint32_t rank) {
  Dims order;
  for (std::uint32_t d = 0; d < rank; ++d)
    if (d != axis) order.push_back(d);
  order.push_back(axis);
  return order;
}
Dims axis_back(std::uint32_t axis, std::uint32_t rank) {
  Dims order;
  for (std::uint32_t d = 0; d + 1 < rank; ++d) {
    if (d == axis) order.push_back(rank - 1);
    order.push_back(d);
  }
  if (axis + 1 == rank) order.push_back(rank - 1);
  return order;
}

/// https://onnx.ai/onnx/operators/onnx__DFT.html
void dft(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  c.require_rank(x, 2, 7);
  const SizeList sizes = formats::sizes_of(x);
  const Size parts = sizes.back();
  if (!parts.is_known() || (parts.number() != 1 && parts.number() != 2))
    c.unsupported("its last dimension is not 1 or 2");
  const std::uint32_t rank = x.rank() - 1;
  const std::int64_t given = c.version() < 20 ? c.integer("axis", 1)
                             : c.has(2)       ? c.integer(2)
                                              : std::int64_t{-2};
  const std::uint32_t axis = c.axis(given, x.rank());
  if (axis == rank) c.refuse(fail("axis ({}) is the axis of the real and imaginary parts", given));
  if (!sizes[axis].is_known()) c.unsupported("the length of its axis is not known");
  const std::int64_t size = sizes[axis].number(), n = c.has(1) ? c.integer(1) : size;
  if (n < 1) c.refuse(fail("a length of {}", n));
  const bool inverse = c.integer("inverse", 0) != 0, onesided = c.integer("onesided", 0) != 0;
  const bool is_complex = parts.number() == 2;
  if (onesided && (inverse || is_complex)) c.unsupported("one side of a complex transform");
  const std::int64_t bins = onesided ? n / 2 + 1 : n, length = std::min(size, n);
  check_weights(c, length, bins);
  c.spend(static_cast<std::uint64_t>(length * bins) * 8);

  const auto weights = [&](const std::vector<float>& values) {
    return c.floats(x.dataType(),
                    {static_cast<std::uint32_t>(length), static_cast<std::uint32_t>(bins)}, values);
  };
  const double factor = inverse ? 1.0 / static_cast<double>(n) : 1, sign = inverse ? 1 : -1;
  const MLOperand cosines = weights(basis<&cosine>(n, length, bins, factor));
  const MLOperand sines = weights(basis<&sine>(n, length, bins, sign * factor));
  const SizeList without(sizes.begin(), sizes.end() - 1);
  const auto part = [&](std::int64_t k) {
    MLOperand p = c.reshaped(c.sliced(x, rank, k, 1), without);
    if (length < size) p = c.sliced(p, axis, 0, length);
    return rank > 1 ? c.permuted(p, axis_last(axis, rank)) : c.reshaped(p, SizeList{1, length});
  };
  // (a + i b) (cos + i sin)
  const MLOperand a = part(0);
  MLOperand real = c.b.matmul(a, cosines), imaginary = c.b.matmul(a, sines);
  if (is_complex) {
    const MLOperand b = part(1);
    real = c.b.sub(real, c.b.matmul(b, sines));
    imaginary = c.b.add(imaginary, c.b.matmul(b, cosines));
  }
  const auto placed = [&](const MLOperand& y) {
    SizeList shape = sizes;
    shape[axis] = bins;
    shape.back() = 1;
    return c.reshaped(rank > 1 ? c.permuted(y, axis_back(axis, rank)) : y, shape);
  };
  c.put(c.b.concat({placed(real), placed(imaginary)}, rank, {.label = c.label()}));
}

/// https://onnx.ai/onnx/operators/onnx__STFT.html
void stft(Call& c) {
  const MLOperand x = c.x();
  c.require_floats(x);
  c.require_rank(x, 2, 3);
  SizeList sizes = formats::sizes_of(x);
  if (x.rank() == 3 && (!sizes[2].is_known() || sizes[2].number() != 1))
    c.unsupported("a signal with imaginary parts");
  const std::int64_t step = c.integer(1);
  std::vector<double> window;
  if (c.has(2)) window = c.reals(2);
  const std::int64_t n = c.has(3) ? c.integer(3) : static_cast<std::int64_t>(window.size());
  if (window.empty()) window.assign(static_cast<std::size_t>(std::max<std::int64_t>(n, 0)), 1);
  if (n < 1 || step < 1 || window.size() != static_cast<std::size_t>(n))
    c.refuse(fail("frames of {} with a window of {} and a step of {}", n, window.size(), step));
  if (sizes[1].is_known() && sizes[1].number() < n)
    c.refuse(fail("frames of {} of a signal of {}", n, sizes[1].number()));
  const std::int64_t bins = c.integer("onesided", 1) != 0 ? n / 2 + 1 : n;
  check_weights(c, n, 2 * bins);
  c.spend(static_cast<std::uint64_t>(n * bins) * 8);

  // All cosines, then all sines, each along the frame.
  std::vector<float> filter;
  for (const bool imaginary : {false, true})
    for (std::int64_t k = 0; k < bins; ++k)
      for (std::int64_t i = 0; i < n; ++i) {
        const double angle =
            2 * std::numbers::pi * static_cast<double>(i * k % n) / static_cast<double>(n);
        filter.push_back(static_cast<float>(window[static_cast<std::size_t>(i)] *
                                            (imaginary ? -std::sin(angle) : std::cos(angle))));
      }
  const auto outputs = static_cast<std::uint32_t>(2 * bins);
  const MLOperand weights =
      c.floats(x.dataType(), {outputs, 1, 1, static_cast<std::uint32_t>(n)}, filter);
  const MLOperand signal = c.reshaped(x, SizeList{sizes[0], 1, 1, sizes[1]});
  const MLOperand y = c.b.conv2d(signal, weights,
                                 {.strides = {1, c.dimension(step, "a step")}, .label = c.label()});
  const Size frames = Size::dimension(y, 3);
  c.put(c.permuted(c.reshaped(y, SizeList{sizes[0], 2, bins, frames}), {0, 3, 2, 1}));
}

/// https://onnx.ai/onnx/operators/onnx__MelWeightMatrix.html
void mel_weight_matrix(Call& c) {
  const std::int64_t bands = c.integer(0), length = c.integer(1), rate = c.integer(2);
  const double low = c.real(3), high = c.real(4);
  const auto type = c.data_type(c.element_type("output_datatype", ElementType::FLOAT));
  if (!types::floats.contains(type)) c.unsupported(fail("its data type is {}", type));
  constexpr std::int64_t most = 1 << 20;
  if (bands < 1 || length < 1 || rate < 1 || bands > most || length > most || !(low >= 0) ||
      !(high >= low) || !std::isfinite(high))
    c.refuse(
        fail("{} bands from {} to {} Hz of {} elements at {} Hz", bands, low, high, length, rate));
  const std::int64_t bins = length / 2 + 1;
  check_weights(c, bins, bands);
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double step = (mel(high) - mel(low)) / static_cast<double>(bands + 2);
  std::vector<std::int64_t> edges;
  for (std::int64_t i = 0; i < bands + 2; ++i) {
    const double hertz =
        700 * (std::pow(10.0, (static_cast<double>(i) * step + mel(low)) / 2595) - 1);
    edges.push_back(static_cast<std::int64_t>(
        std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate))));
  }
  if (edges.back() > bins)
    c.refuse(fail("{} Hz are beyond the {} bins of the spectrum", high, bins));
  c.spend(static_cast<std::uint64_t>(bins * bands) * 4);
  std::vector<float> weights(static_cast<std::size_t>(bins * bands), 0);
  const auto set = [&](std::int64_t bin, std::int64_t band, double v) {
    if (bin < bins) weights[static_cast<std::size_t>(bin * bands + band)] = static_cast<float>(v);
  };
  for (std::int64_t i = 0; i < bands; ++i) {
    const std::int64_t from = edges[static_cast<std::size_t>(i)],
                       center = edges[static_cast<std::size_t>(i) + 1],
                       to = edges[static_cast<std::size_t>(i) + 2];
    if (from == center) set(center, i, 1);
    for (std::int64_t k = from; from < center && k <= center; ++k)
      set(k, i, static_cast<double>(k - from) / static_cast<double>(center - from));
    for (std::int64_t k = center; k < to; ++k)
      set(k, i, static_cast<double>(to - k) / static_cast<double>(to - center));
  }
  c.put(c.floats(type, {static_cast<std::uint32_t>(bins), static_cast<std::uint32_t>(bands)},
                 weights));
}

constexpr Handler handlers[] = {
    {"DFT", &dft, 17, 1, 3, 1, "composed; the length is known"},
    {"MelWeightMatrix", &mel_weight_matrix, 17, 5, 5, 1, "is computed"},
    {"STFT", &stft, 17, 2, 4, 1,
     "as a convolution; the frame and the step are known, without imaginary parts"},
};

}  // namespace

std::span<const Handler> fourier_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::onnx
