// webnn.RoiAlign: regions of an image, each pooled to the same size. The places that a region reads
// are the product of those along its height and its width.
// https://onnx.ai/onnx/operators/onnx__RoiAlign.html
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

constexpr std::int64_t max_samples = 1 << 7, max_size = 1 << 10;

bool is_max(const CustomCall& call) {
  return enumerator<bool>(call, "mode", {{"avg", false}, {"max", true}});
}
std::uint32_t size_of(const CustomCall& call, std::string_view name) {
  const auto n = call.attribute<std::int64_t>(name);
  if (n < 1 || n > max_size) refuse(fail("{} ({}) is not from 1 to {}", name, n, max_size));
  return static_cast<std::uint32_t>(n);
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 3, 3);
  const auto& [type, x] = operand(call, 0, "image", types::floats, 4);
  const auto& [roi_type, rois] = operand(call, 1, "regions", types::floats, 2);
  const auto& [index_type, indices] = operand(call, 2, "indices", {int32, int64}, 1);
  if (roi_type != type) refuse(fail("the data type of its regions is {}, not {}", roi_type, type));
  if (rois[1] != 4) refuse(fail("its regions of shape {} are not [regions, 4]", rois));
  if (indices[0] != rois[0]) refuse(fail("it has {} regions and {} indices", rois[0], indices[0]));
  constexpr std::uint32_t most = 1 << 23;  // which floats count without gaps
  if (x[2] > most || x[3] > most)
    refuse(fail("the height or width of its image of shape {} is greater than {}", x, most));
  if (const auto n = call.attribute<std::int64_t>("samples"); n < 0 || n > max_samples)
    refuse(fail("samples ({}) is not from 0 to {}", n, max_samples));
  if (const auto s = call.attribute<float>("scale"); !std::isfinite(s))
    refuse(fail("scale ({}) is not finite", s));
  is_max(call);
  return {{type, {rois[0], x[1], size_of(call, "height"), size_of(call, "width")}}};
}

/// Two elements along a dimension, and the weight of the second one.
struct Sample {
  std::size_t low, high;
  float weight;
};

/// A region along one dimension.
struct Side {
  float start, bin;
  float samples;  // of a bin; a whole number, perhaps infinite

  Side(float from, float to, std::size_t pooled, float given, bool half_pixel) {
    start = from;
    const float size = half_pixel ? to - from : std::max(to - from, 1.0f);
    bin = size / static_cast<float>(pooled);
    samples = given > 0 ? given : std::ceil(bin);
  }

  bool is_usable() const {
    constexpr float far = 1e7f;
    return std::abs(start) < far && std::abs(bin) < far && std::abs(samples) < far;
  }

  /// Those samples of a bin that are within the image, or next to it.
  template <class F> void each(std::size_t place, std::size_t size, F f) const {
    const float first = start + static_cast<float>(place) * bin, step = bin / samples;
    const auto last = static_cast<float>(size - 1), end = static_cast<float>(size);
    const auto at = [&](float i) { return first + (i + 0.5f) * bin / samples; };
    // A sample before the one that this computes is outside, save for rounding.
    float i = 0, stop = samples;
    if (step > 0) i = std::max(0.0f, std::floor((-1 - first) / step) - 2);
    if (step > 0) stop = std::min(samples, std::ceil((end - first) / step) + 2);
    for (; i < stop; ++i) {
      float v = at(i);
      if (!(v >= -1 && v <= end)) continue;
      v = std::max(v, 0.0f);
      const float low = std::min(std::floor(v), last), high = std::min(low + 1, last);
      f(Sample{static_cast<std::size_t>(low), static_cast<std::size_t>(high),
               low < last ? v - low : 0});
    }
  }
};

struct Form {
  std::size_t batch, channels, image_height, image_width, height, width;
  float samples, scale;
  bool half_pixel, max, wide;  // indices of 64 bits

  std::int64_t index(const Buffers& b, std::size_t region) const {
    return wide ? b.in<std::int64_t>(2)[region] : b.in<std::int32_t>(2)[region];
  }
};

/// The samples of all bins of a side, one bin after the other.
struct Samples {
  std::vector<Sample> all{};
  std::vector<std::size_t> ends{};  // of each bin

  Samples(const Side& side, std::size_t bins, std::size_t size) {
    for (std::size_t i = 0; i < bins; ++i) {
      side.each(i, size, [&](const Sample& s) { all.push_back(s); });
      ends.push_back(all.size());
    }
  }
  std::span<const Sample> bin(std::size_t i) const {
    const std::size_t first = i == 0 ? 0 : ends[i - 1];
    return std::span(all).subspan(first, ends[i] - first);
  }
};

template <class T>
float average(const T* image, std::size_t width, std::span<const Sample> down,
              std::span<const Sample> across, float count) {
  float sum = 0;
  for (const Sample& y : down) {
    const T *top = image + y.low * width, *bottom = image + y.high * width;
    float upper = 0, lower = 0;
    for (const Sample& x : across) {
      upper += (1 - x.weight) * static_cast<float>(top[x.low]) +
               x.weight * static_cast<float>(top[x.high]);
      lower += (1 - x.weight) * static_cast<float>(bottom[x.low]) +
               x.weight * static_cast<float>(bottom[x.high]);
    }
    sum += (1 - y.weight) * upper + y.weight * lower;
  }
  return sum / std::max(count, 1.0f);
}

/// The largest of the weighted elements, as ONNX says it; those of samples outside are 0.
template <class T>
float largest(const T* image, std::size_t width, std::span<const Sample> down,
              std::span<const Sample> across, float count) {
  if (down.empty() || across.empty()) return 0;
  const bool has_outside = static_cast<float>(down.size() * across.size()) < count;
  float most = has_outside ? 0 : -std::numeric_limits<float>::infinity();
  for (const Sample& y : down) {
    const T *top = image + y.low * width, *bottom = image + y.high * width;
    for (const Sample& x : across) {
      const float a = (1 - y.weight) * (1 - x.weight) * static_cast<float>(top[x.low]),
                  b = (1 - y.weight) * x.weight * static_cast<float>(top[x.high]),
                  c = y.weight * (1 - x.weight) * static_cast<float>(bottom[x.low]),
                  d = y.weight * x.weight * static_cast<float>(bottom[x.high]);
      most = std::max(most, std::max(std::max(a, b), std::max(c, d)));
    }
  }
  return most;
}

constexpr std::size_t channels_of_row = 16;  // which share the places that a region reads

template <class T> void run_row(const Form& f, std::size_t row, const Buffers& b) {
  const std::size_t blocks = (f.channels + channels_of_row - 1) / channels_of_row;
  const std::size_t region = row / blocks, first = row % blocks * channels_of_row;
  const std::size_t channels = std::min(channels_of_row, f.channels - first);
  const std::size_t size = f.height * f.width;
  T* y = b.out<T>() + (region * f.channels + first) * size;
  const std::int64_t image = f.index(b, region);
  const T* roi = b.in<T>(1) + region * 4;
  const auto edge = [&](int i) {
    return static_cast<float>(roi[i]) * f.scale - (f.half_pixel ? 0.5f : 0);
  };
  const Side down(edge(1), edge(3), f.height, f.samples, f.half_pixel);
  const Side across(edge(0), edge(2), f.width, f.samples, f.half_pixel);
  if (image < 0 || image >= static_cast<std::int64_t>(f.batch) || !down.is_usable() ||
      !across.is_usable()) {
    std::fill(y, y + channels * size, T{});
    return;
  }
  const Samples rows(down, f.height, f.image_height), columns(across, f.width, f.image_width);
  const float count = down.samples * across.samples;
  const T* x = b.in<T>(0) + (static_cast<std::size_t>(image) * f.channels + first) *
                                f.image_height * f.image_width;
  for (std::size_t c = 0; c < channels; ++c, x += f.image_height * f.image_width)
    for (std::size_t i = 0; i < f.height; ++i)
      for (std::size_t j = 0; j < f.width; ++j)
        *y++ =
            static_cast<T>(f.max ? largest(x, f.image_width, rows.bin(i), columns.bin(j), count)
                                 : average(x, f.image_width, rows.bin(i), columns.bin(j), count));
}

Lowering lower(const CustomCall& call) {
  const Dims &x = call.inputs[0].shape, &y = call.outputs[0].shape;
  const Form f{x[0],
               x[1],
               x[2],
               x[3],
               y[2],
               y[3],
               static_cast<float>(call.attribute<std::int64_t>("samples")),
               call.attribute<float>("scale"),
               call.attribute<bool>("halfPixel"),
               is_max(call),
               call.inputs[2].dataType == int64};
  return with_float(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    const std::size_t blocks = (f.channels + channels_of_row - 1) / channels_of_row;
    return by_rows("roi_align", y[0] * blocks,
                   f.height * f.width * 32 * std::min(f.channels, channels_of_row),
                   [f](std::size_t row, const Buffers& b, std::byte*) { run_row<T>(f, row, b); });
  });
}

}  // namespace

const Definition& roi_align() {
  static const Definition one = custom_operator({.name = "webnn.RoiAlign",
                                                 .attributes = {{"height", 1},
                                                                {"width", 1},
                                                                {"samples", 0},
                                                                {"scale", 1.0},
                                                                {"halfPixel", true},
                                                                {"mode", "avg"}},
                                                 .infer = &infer,
                                                 .compute = computed_by(&lower),
                                                 .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
