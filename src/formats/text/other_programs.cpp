#include "src/formats/text/other_programs.h"

#include <algorithm>
#include <array>

#include "src/builder/builder_state.h"
#include "src/formats/common/same_padding.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::text {
namespace {

using formats::Value;

bool usable(const Dims& pair) { return pair.size() == 2 && pair[0] > 0 && pair[1] > 0; }

/// Along height and width, what `axis` gives for each: the odd one is at the end with `upper`.
template <class F> Dims padding_of(bool upper, F&& axis) {
  Dims padding;
  for (const std::size_t i : {0, 1}) {
    const auto [less, more] = axis(i);
    padding.insert(padding.end(), {upper ? less : more, upper ? more : less});
  }
  return padding;
}

struct Window {
  std::array<std::uint32_t, 2> input, size;  // height and width
  const Dims &strides, &dilations;

  formats::WindowAxis axis(std::size_t i) const { return {size[i], strides[i], dilations[i]}; }
};
Window window_of(const shape::Image& image, std::uint32_t height, std::uint32_t width,
                 const Dims& strides, const Dims& dilations) {
  return {{static_cast<std::uint32_t>(image.height), static_cast<std::uint32_t>(image.width)},
          {height, width},
          strides,
          dilations};
}
Dims same_padding(const Window& w, bool upper) {
  return padding_of(upper,
                    [&](std::size_t i) { return formats::same_padding(w.input[i], w.axis(i)); });
}

template <class Conv> bool is_image_and_filter(const Conv& op) {
  return op.input.rank() == 4 && op.filter.rank() == 4 && usable(op.options.strides) &&
         usable(op.options.dilations);
}

void pad(ops::conv2d& op, bool upper) {
  auto& o = op.options;
  if (!is_image_and_filter(op)) return;
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  o.padding = same_padding(window_of(shape::image(op.input.shape(), o.inputLayout), f.height,
                                     f.width, o.strides, o.dilations),
                           upper);
}

/// The padding is that of a convolution which makes the input of the result.
void pad(ops::convTranspose2d& op, bool upper) {
  auto& o = op.options;
  if (!is_image_and_filter(op) || o.outputPadding.size() != 2 ||
      (o.outputSizes && o.outputSizes->size() != 2))
    return;
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  const Window w = window_of(shape::image(op.input.shape(), o.inputLayout), f.height, f.width,
                             o.strides, o.dilations);
  const bool given = o.outputSizes.has_value();
  Dims sizes;
  o.padding = padding_of(upper, [&](std::size_t i) {
    std::uint64_t output = given ? (*o.outputSizes)[i] : std::uint64_t{w.input[i]} * o.strides[i];
    sizes.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(output, UINT32_MAX)));
    if (!given) output -= std::min<std::uint64_t>(output, o.outputPadding[i]);
    return formats::same_padding(output, w.input[i], w.axis(i));
  });
  if (!given) o.outputSizes = sizes;  // where the filter is smaller than the stride, zeros follow
}

template <class Pool> void pad_pool(Pool& op, bool upper) {
  MLPool2dOptions& o = op.options;
  if (op.input.rank() != 4 || !usable(o.strides) || !usable(o.dilations) ||
      (o.windowDimensions && !usable(*o.windowDimensions)))
    return;
  const shape::Image image = shape::image(op.input.shape(), o.layout);
  const Dims size = o.windowDimensions.value_or(
      Dims{static_cast<std::uint32_t>(image.height), static_cast<std::uint32_t>(image.width)});
  o.padding = same_padding(window_of(image, size[0], size[1], o.strides, o.dilations), upper);
}

}  // namespace

namespace {

/// The padding follows from the sizes of the image.
std::optional<Failure> require_sizes(std::string_view op, const void* made) {
  for (const formats::OperatorRow& row : formats::find_operator(op)->rows) {
    if (row.is_attribute()) continue;
    for (const MLOperand& x : formats::operands_of(row, made))
      if (x && x.is_open())
        return fail(
            "autoPad: the dimensions of {} are open, and the padding follows from their "
            "sizes: give them when the model is imported",
            row.name);
  }
  return std::nullopt;
}

}  // namespace

bool has_auto_pad(std::string_view op) {
  return op == "conv2d" || op == "convTranspose2d" || op == "averagePool2d" || op == "l2Pool2d" ||
         op == "maxPool2d";
}

std::optional<Failure> set_auto_pad(std::string_view op, void* made, const Value& mode) {
  if (!mode.is_text() ||
      (mode.text != "explicit" && mode.text != "same-upper" && mode.text != "same-lower"))
    return fail("autoPad: {} is not one of explicit, same-upper, same-lower", formats::shown(mode));
  if (mode.text == "explicit") return std::nullopt;
  const bool upper = mode.text == "same-upper";
  if (const auto bad = require_sizes(op, made)) return bad;
  if (op == "conv2d") pad(*static_cast<ops::conv2d*>(made), upper);
  else if (op == "convTranspose2d") pad(*static_cast<ops::convTranspose2d*>(made), upper);
  else if (op == "averagePool2d") pad_pool(*static_cast<ops::averagePool2d*>(made), upper);
  else if (op == "l2Pool2d") pad_pool(*static_cast<ops::l2Pool2d*>(made), upper);
  else pad_pool(*static_cast<ops::maxPool2d*>(made), upper);
  return std::nullopt;
}

std::optional<Failure> fix_new_shape(const void* reshape, Value& dimensions) {
  const MLOperand& x = static_cast<const ops::reshape*>(reshape)->input;
  Value* open = nullptr;
  std::uint64_t known = 1;
  for (Value& item : dimensions.items) {
    std::uint32_t size = 0;
    if (item.kind == Value::Kind::number && item.text == "-1") {
      if (open) return fail("newShape has more than one -1");
      open = &item;
    } else if (!from_value(item, size)) {
      known *= size;
      if (known > max_tensor_byte_length) return std::nullopt;  // the operator's own message
    }
  }
  if (!open || !x) return std::nullopt;
  const std::uint64_t elements = element_count(x.shape());
  if (known == 0 || elements % known != 0)
    return fail("newShape: {} elements are not a multiple of {}", elements, known);
  const std::size_t offset = open->offset;
  *open = Value::number(elements / known);
  open->offset = offset;
  return std::nullopt;
}

void fix_axes(Value& axes, std::uint32_t rank) {
  for (Value& item : axes.items) fix_axes(item, rank);
  std::int32_t axis = 0;
  if (axes.kind != Value::Kind::number || from_value(axes, axis) || axis >= 0) return;
  if (axis + std::int64_t{rank} < 0) return;  // the operator's own message
  const std::size_t offset = axes.offset;
  axes = Value::number(static_cast<std::uint64_t>(axis + std::int64_t{rank}));
  axes.offset = offset;
}

namespace {

/// The axes that are given, counted from the beginning and in order.
std::vector<std::uint32_t> axes_of(const Scope& scope, const Statement& s, Value given,
                                   std::size_t rank) {
  if (given.kind != Value::Kind::list) given = Value::list({given});
  fix_axes(given, static_cast<std::uint32_t>(rank));
  std::vector<std::uint32_t> axes;
  for (const Value& item : given.items) {
    std::uint32_t axis = 0;
    if (const auto bad = from_value(item, axis))
      scope.source.refuse(item.offset, fail("{}: axes: {}", s.op.text, bad->message));
    if (axis >= rank || std::ranges::find(axes, axis) != axes.end())
      scope.source.refuse(
          item.offset,
          fail("{}: axis {} is given twice or not one of {} dimensions", s.op.text, axis, rank));
    axes.push_back(axis);
  }
  std::ranges::sort(axes);
  return axes;
}

}  // namespace

std::optional<Statement> as_reshape(const Scope& scope, const Statement& s) {
  const bool squeeze = s.op.text == "squeeze";
  if (!s.call || (!squeeze && s.op.text != "unsqueeze")) return std::nullopt;
  if (detail::state_of(scope.builder)->trials) return std::nullopt;  // sizes may be open
  Statement made = s;
  made.op.text = "reshape";
  made.arguments.clear();
  std::optional<Value> given;
  std::optional<Argument> input;
  for (const Argument& a : s.arguments) {
    if (a.name == "axes" || (a.name.empty() && input)) given = a.value;
    else if (a.name.empty() || a.name == "input") input = a;
    else made.arguments.push_back(a);  // a label
  }
  if (!input || !input->value.is_text() || (!given && !squeeze))
    scope.source.refuse(s.op.offset,
                        fail("{}: there is no {}", s.op.text, input ? "axes" : "input"));
  Dims shape = scope.operand(input->value.text, input->value.offset).shape();
  const std::size_t added = !given ? 0 : given->kind == Value::Kind::list ? given->items.size() : 1;
  if (!squeeze && shape.size() + added > max_rank)
    scope.source.refuse(given->offset, fail("unsqueeze: the rank of the result ({}) exceeds {}",
                                            shape.size() + added, max_rank));
  if (squeeze) {
    Dims rest;
    const auto axes =
        given ? axes_of(scope, s, *given, shape.size()) : std::vector<std::uint32_t>{};
    for (std::uint32_t d = 0; d < shape.size(); ++d) {
      const bool named = std::ranges::binary_search(axes, d);
      if (named && shape[d] != 1)
        scope.source.refuse(given->offset, fail("squeeze: dimension {} of {} is not 1", d, shape));
      if (!named && (given || shape[d] != 1)) rest.push_back(shape[d]);
    }
    shape = rest;
  } else {
    for (const std::uint32_t d : axes_of(scope, s, *given, shape.size() + added))
      shape.insert(shape.begin() + d, 1);
  }
  Value list = formats::to_value(shape);
  list.offset = s.op.offset;
  input->name = {};
  made.arguments.insert(made.arguments.begin(),
                        {*input, Argument{"newShape", std::move(list), s.op.offset}});
  return made;
}

}  // namespace webnn::inline v0_1::text
