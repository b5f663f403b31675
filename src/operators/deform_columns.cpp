// webnn.DeformColumns: the elements that a deformable convolution reads, as columns, with which it
// is a convolution of 1 x 1.
// https://onnx.ai/onnx/operators/onnx__DeformConv.html
#include <cmath>

#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

/// Numbers that are at least `least`, with places far below those that floats count without gaps.
std::vector<std::int64_t> list_of(const CustomCall& call, std::string_view name, std::size_t n,
                                  std::int64_t least, std::int64_t fallback) {
  constexpr std::int64_t most = 1 << 20;
  auto list = call.attribute<std::vector<std::int64_t>>(name);
  if (list.empty()) list.assign(n, fallback);
  if (list.size() != n) refuse(fail("{} has {} numbers, not {}", name, list.size(), n));
  for (const std::int64_t v : list)
    if (v < least || v > most)
      refuse(fail("{} has {}, which is not from {} to {}", name, v, least, most));
  return list;
}

struct Form {
  std::size_t batch, channels, in_height, in_width, kernel_height, kernel_width, height, width,
      groups;
  std::int64_t stride[2], dilation[2], pad[2];
  bool masked;

  std::size_t kernel() const { return kernel_height * kernel_width; }
  std::size_t size() const { return height * width; }
};

Form form_of(const CustomCall& call) {
  require_operands(call, 2, 3);
  const auto& [type, x] = operand(call, 0, "operand", types::floats, 4);
  const auto& [offset_type, offset] = operand(call, 1, "offsets", types::floats, 4);
  const auto window = list_of(call, "windowDimensions", 2, 1, 1),
             strides = list_of(call, "strides", 2, 1, 1),
             dilations = list_of(call, "dilations", 2, 1, 1), pads = list_of(call, "pads", 4, 0, 0);
  const auto groups = call.attribute<std::int64_t>("offsetGroups");
  if (groups < 1 || groups > x[1] || x[1] % groups != 0)
    refuse(fail("offsetGroups ({}) does not divide the {} channels", groups, x[1]));
  if (offset_type != type)
    refuse(fail("the data type of its offsets is {}, not {}", offset_type, type));
  constexpr std::uint32_t most = 1 << 23;  // which floats count without gaps
  if (x[2] > most || x[3] > most)
    refuse(fail("the height or width of its operand of shape {} is greater than {}", x, most));
  Dims expected{x[0], 0, 0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t room =
        std::int64_t{x[2 + i]} + pads[i] + pads[2 + i] - dilations[i] * (window[i] - 1) - 1;
    if (room < 0)
      refuse(fail("a window of {} with dilation {} does not fit into {} with its padding",
                  window[i], dilations[i], x[2 + i]));
    expected[2 + i] = static_cast<std::uint32_t>(room / strides[i] + 1);
  }
  if (std::uint64_t{x[2]} * x[3] > 0x7fffffff)
    refuse(fail("its operand of shape {} has images of more than {} elements", x, 0x7fffffff));
  const std::int64_t places = groups * window[0] * window[1];
  if (places > 0x3fffffff) refuse(fail("it has {} places in windows", places));
  expected[1] = static_cast<std::uint32_t>(2 * places);
  if (offset != expected) refuse(fail("its offsets of shape {} are not {}", offset, expected));
  const bool masked = call.inputs.size() > 2;
  if (masked) {
    const auto& [mask_type, mask] = call.inputs[2];
    expected[1] = static_cast<std::uint32_t>(places);
    if (mask_type != type || mask != expected)
      refuse(fail("its mask of {} {} is not {} {}", mask_type, mask, type, expected));
  }
  return {x[0],
          x[1],
          x[2],
          x[3],
          static_cast<std::size_t>(window[0]),
          static_cast<std::size_t>(window[1]),
          expected[2],
          expected[3],
          static_cast<std::size_t>(groups),
          {strides[0], strides[1]},
          {dilations[0], dilations[1]},
          {pads[0], pads[1]},
          masked};
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  const Form f = form_of(call);
  const std::uint64_t rows = std::uint64_t{f.channels} * f.kernel();
  if (rows > 0x7fffffff) refuse(fail("its result has {} rows", rows));
  const auto n = [](std::size_t v) { return static_cast<std::uint32_t>(v); };
  return {{call.inputs[0].dataType, {n(f.batch), n(rows), n(f.height), n(f.width)}}};
}

/// Four elements of an image and their weights; -1 for one that is outside, which is 0.
struct Place {
  std::int32_t at[4] = {-1, -1, -1, -1};
  float weight[4] = {};
};

/// NaN is far outside.
Place place_of(const Form& f, float y, float x, float factor) {
  Place p;
  const auto height = static_cast<float>(f.in_height), width = static_cast<float>(f.in_width);
  if (!(y > -1 && y < height && x > -1 && x < width)) return p;
  const float top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
  for (int k = 0; k < 4; ++k) {
    const float i = top + static_cast<float>(k / 2), j = left + static_cast<float>(k % 2);
    if (i < 0 || i >= height || j < 0 || j >= width) continue;
    p.at[k] = static_cast<std::int32_t>(i) * static_cast<std::int32_t>(f.in_width) +
              static_cast<std::int32_t>(j);
    p.weight[k] = (k / 2 ? down : 1 - down) * (k % 2 ? right : 1 - right) * factor;
  }
  return p;
}

/// One line of the result for a place of the window, in all channels that share offsets.
template <class T>
void run_row(const Form& f, std::size_t row, const Buffers& b, std::byte* scratch) {
  auto* places = reinterpret_cast<Place*>(scratch);
  const std::size_t i = row % f.height, place = row / f.height;  // of batches, groups and windows
  const std::size_t k = place % f.kernel(), n = place / f.kernel() / f.groups;
  const T *down = b.in<T>(1) + 2 * place * f.size() + i * f.width, *right = down + f.size();
  const T* mask = f.masked ? b.in<T>(2) + place * f.size() + i * f.width : nullptr;
  const auto first = [&](std::size_t at, std::size_t d, std::size_t in_window) {
    return static_cast<float>(static_cast<std::int64_t>(at) * f.stride[d] - f.pad[d] +
                              static_cast<std::int64_t>(in_window) * f.dilation[d]);
  };
  for (std::size_t j = 0; j < f.width; ++j)
    places[j] = place_of(f, first(i, 0, k / f.kernel_width) + static_cast<float>(down[j]),
                         first(j, 1, k % f.kernel_width) + static_cast<float>(right[j]),
                         mask ? static_cast<float>(mask[j]) : 1.0f);
  const std::size_t shared = f.channels / f.groups, group = place / f.kernel() % f.groups;
  for (std::size_t c = n * f.channels + group * shared, end = c + shared; c < end; ++c) {
    const T* x = b.in<T>(0) + c * f.in_height * f.in_width;
    T* y = b.out<T>() + (c * f.kernel() + k) * f.size() + i * f.width;
    const auto value = [&](const Place& p, int corner) {
      return p.at[corner] < 0 ? 0.0f : p.weight[corner] * static_cast<float>(x[p.at[corner]]);
    };
    for (std::size_t j = 0; j < f.width; ++j) {
      const Place& p = places[j];
      y[j] = static_cast<T>((value(p, 0) + value(p, 1)) + (value(p, 2) + value(p, 3)));
    }
  }
}

Lowering lower(const CustomCall& call) {
  const Form f = form_of(call);
  return with_float(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return by_rows(
        "deform_columns", f.batch * f.groups * f.kernel() * f.height,
        f.width * (16 + 4 * f.channels / f.groups),
        [f](std::size_t row, const Buffers& b, std::byte* scratch) {
          run_row<T>(f, row, b, scratch);
        },
        f.width * sizeof(Place));
  });
}

}  // namespace

const Definition& deform_columns() {
  using List = std::vector<std::int64_t>;
  static const Definition one = custom_operator({.name = "webnn.DeformColumns",
                                                 .attributes = {{"windowDimensions", {}},
                                                                {"strides", List{}},
                                                                {"dilations", List{}},
                                                                {"pads", List{}},
                                                                {"offsetGroups", 1}},
                                                 .infer = &infer,
                                                 .compute = computed_by(&lower),
                                                 .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
