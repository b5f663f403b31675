// webnn.Col2Im: blocks that slide over an image, added at the places that they were taken from.
// https://onnx.ai/onnx/operators/onnx__Col2Im.html
#include "src/operators/operators.h"
#include "src/operators/tiles.h"

namespace webnn::inline v0_1::operators {
namespace {

constexpr std::int64_t most = 0x7fffffff;

struct Axis {
  std::int64_t image, block, dilation, stride, pad;
  std::int64_t steps;  // of the block along the image
};

/// A list of the attribute, each from `least`; `fallback` for an empty one.
std::vector<std::int64_t> list_of(const CustomCall& call, std::string_view name, std::size_t n,
                                  std::int64_t least, std::int64_t fallback) {
  auto list = call.attribute<std::vector<std::int64_t>>(name);
  if (list.empty()) list.assign(n, fallback);
  if (list.size() != n) refuse(fail("{} has {} numbers, not {}", name, list.size(), n));
  for (const std::int64_t v : list)
    if (v < least || v > most)
      refuse(fail("{} has {}, which is not from {} to {}", name, v, least, most));
  return list;
}

std::vector<Axis> axes_of(const CustomCall& call) {
  const std::size_t n = call.attribute<std::vector<std::int64_t>>("imageShape").size();
  if (n < 1 || n > max_rank - 2)
    refuse(fail("imageShape has {} numbers, not 1 to {}", n, max_rank - 2));
  const auto image = list_of(call, "imageShape", n, 1, 1),
             block = list_of(call, "blockShape", n, 1, 1),
             dilations = list_of(call, "dilations", n, 1, 1),
             strides = list_of(call, "strides", n, 1, 1), pads = list_of(call, "pads", 2 * n, 0, 0);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t room = image[i] + pads[i] + pads[n + i] - dilations[i] * (block[i] - 1) - 1;
    if (room < 0)
      refuse(fail("a block of {} with dilation {} does not fit into {} with its padding", block[i],
                  dilations[i], image[i]));
    axes.push_back({image[i], block[i], dilations[i], strides[i], pads[i], room / strides[i] + 1});
  }
  return axes;
}

std::vector<MLOperandDescriptor> infer(const CustomCall& call) {
  require_operands(call, 1, 1);
  const auto& [type, x] = operand(call, 0, "operand", types::floats, 3);
  double block = 1, steps = 1;
  Dims shape{x[0], 1};
  for (const Axis& a : axes_of(call)) {
    block *= static_cast<double>(a.block), steps *= static_cast<double>(a.steps);
    shape.push_back(static_cast<std::uint32_t>(a.image));
  }
  if (block > x[1] || x[1] % static_cast<std::uint32_t>(block) != 0)
    refuse(
        fail("dimension 1 of its operand ({}) is not a multiple of the block ({})", x[1], block));
  if (steps != x[2])
    refuse(fail("dimension 2 of its operand is {}, but there are {} blocks", x[2], steps));
  shape[1] = x[1] / static_cast<std::uint32_t>(block);
  return {{type, shape}};
}

/// The next place in a shape; false behind the last one.
bool next(std::vector<std::int64_t>& place, const std::vector<Axis>& axes,
          std::int64_t Axis::*size) {
  for (std::size_t d = axes.size(); d-- > 0;) {
    if (++place[d] < axes[d].*size) return true;
    place[d] = 0;
  }
  return false;
}

struct Form {
  std::vector<Axis> axes;
  std::size_t image = 1, block = 1, steps = 1;

  explicit Form(std::vector<Axis> all) : axes(std::move(all)) {
    for (const Axis& a : axes) {
      image *= static_cast<std::size_t>(a.image);
      block *= static_cast<std::size_t>(a.block);
      steps *= static_cast<std::size_t>(a.steps);
    }
  }

  /// The element of the image at a place of a block; -1 in the padding.
  std::int64_t element(const std::vector<std::int64_t>& in_block,
                       const std::vector<std::int64_t>& step) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const Axis& a = axes[d];
      const std::int64_t i = step[d] * a.stride - a.pad + in_block[d] * a.dilation;
      if (i < 0 || i >= a.image) return -1;
      at = at * a.image + i;
    }
    return at;
  }
};

template <class T>
void run_row(const Form& f, std::size_t row, const Buffers& b, std::byte* scratch) {
  auto* sums = reinterpret_cast<float*>(scratch);
  std::fill(sums, sums + f.image, 0.0f);
  const T* x = b.in<T>() + row * f.block * f.steps;
  std::vector<std::int64_t> in_block(f.axes.size()), step(f.axes.size());
  do {
    do {
      const std::int64_t at = f.element(in_block, step);
      if (at >= 0) sums[at] += static_cast<float>(*x);
      ++x;
    } while (next(step, f.axes, &Axis::steps));
  } while (next(in_block, f.axes, &Axis::block));
  T* y = b.out<T>() + row * f.image;
  for (std::size_t i = 0; i < f.image; ++i) y[i] = static_cast<T>(sums[i]);
}

Lowering lower(const CustomCall& call) {
  const Form f(axes_of(call));
  const Dims& y = call.outputs[0].shape;
  return with_float(call.inputs[0].dataType, [&]<class T>(std::type_identity<T>) -> Lowering {
    return by_rows(
        "col2im", std::size_t{y[0]} * y[1], f.block * f.steps * 4,
        [f](std::size_t row, const Buffers& b, std::byte* scratch) {
          run_row<T>(f, row, b, scratch);
        },
        f.image * sizeof(float));
  });
}

}  // namespace

const Definition& col2im() {
  using List = std::vector<std::int64_t>;
  static const Definition one = custom_operator({.name = "webnn.Col2Im",
                                                 .attributes = {{"imageShape", {}},
                                                                {"blockShape", {}},
                                                                {"dilations", List{}},
                                                                {"strides", List{}},
                                                                {"pads", List{}}},
                                                 .infer = &infer,
                                                 .compute = computed_by(&lower),
                                                 .lower = &lower});
  return one;
}

}  // namespace webnn::inline v0_1::operators
