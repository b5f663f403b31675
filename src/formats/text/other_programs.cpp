#include "src/formats/text/other_programs.h"

#include <algorithm>

#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::text {
namespace {

using formats::Value;

/// One axis of an image and of the window over it.
struct Axis {
  std::uint64_t input, window, stride, dilation;
  std::uint64_t effective() const { return (window - 1) * dilation + 1; }
};

bool usable(const Dims& pair) { return pair.size() == 2 && pair[0] > 0 && pair[1] > 0; }

/// `total` gives what is added along height and width; the odd one is at the end with `upper`.
template <class F> std::optional<Failure> set_padding(Dims& padding, bool upper, F&& total) {
  padding.clear();
  for (int i = 0; i < 2; ++i) {
    const std::uint64_t all = total(i);
    if (all > shape::max_dimension)
      return fail("the automatic padding ({}) is greater than {}", all, shape::max_dimension);
    const auto less = static_cast<std::uint32_t>(all / 2);
    const auto more = static_cast<std::uint32_t>(all - less);
    padding.insert(padding.end(), {upper ? less : more, upper ? more : less});
  }
  return std::nullopt;
}

std::uint64_t same_total(const Axis& a) {
  const std::uint64_t needed =
      (a.input + a.stride - 1) / a.stride * a.stride - a.stride + a.effective();
  return needed > a.input ? needed - a.input : 0;
}

Axis axis_of(int i, const shape::Image& image, const ops::Filter& f, const Dims& strides,
             const Dims& dilations) {
  return i == 0 ? Axis{image.height, f.height, strides[0], dilations[0]}
                : Axis{image.width, f.width, strides[1], dilations[1]};
}

std::optional<Failure> pad(ops::conv2d& op, bool upper) {
  auto& o = op.options;
  if (op.input.rank() != 4 || op.filter.rank() != 4 || !usable(o.strides) || !usable(o.dilations))
    return std::nullopt;
  const shape::Image image = shape::image(op.input.shape(), o.inputLayout);
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  return set_padding(o.padding, upper, [&](int i) {
    return same_total(axis_of(i, image, f, o.strides, o.dilations));
  });
}

std::optional<Failure> pad(ops::convTranspose2d& op, bool upper) {
  auto& o = op.options;
  if (op.input.rank() != 4 || op.filter.rank() != 4 || !usable(o.strides) || !usable(o.dilations) ||
      o.outputPadding.size() != 2 || (o.outputSizes && o.outputSizes->size() != 2))
    return std::nullopt;
  const shape::Image image = shape::image(op.input.shape(), o.inputLayout);
  const ops::Filter f = ops::filter_sizes(op.filter.shape(), o.filterLayout);
  const bool given = o.outputSizes.has_value();
  Dims sizes;
  auto bad = set_padding(o.padding, upper, [&](int i) -> std::uint64_t {
    const Axis a = axis_of(i, image, f, o.strides, o.dilations);
    const std::uint64_t whole = (a.input - 1) * a.stride + a.effective() +
                                (given ? 0 : o.outputPadding[static_cast<std::size_t>(i)]);
    const std::uint64_t wanted =
        given ? (*o.outputSizes)[static_cast<std::size_t>(i)] : a.input * a.stride;
    sizes.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, 0xffffffff)));
    return whole > wanted ? whole - wanted : 0;
  });
  if (!given) o.outputSizes = sizes;  // where the filter is smaller than the stride, zeros follow
  return bad;
}

template <class Pool> std::optional<Failure> pad_pool(Pool& op, bool upper) {
  MLPool2dOptions& o = op.options;
  if (op.input.rank() != 4 || !usable(o.strides) || !usable(o.dilations) ||
      (o.windowDimensions && !usable(*o.windowDimensions)))
    return std::nullopt;
  const shape::Image image = shape::image(op.input.shape(), o.layout);
  const Dims window = o.windowDimensions.value_or(
      Dims{static_cast<std::uint32_t>(image.height), static_cast<std::uint32_t>(image.width)});
  const ops::Filter f{1, 1, window[0], window[1]};
  return set_padding(o.padding, upper, [&](int i) {
    return same_total(axis_of(i, image, f, o.strides, o.dilations));
  });
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
  if (op == "conv2d") return pad(*static_cast<ops::conv2d*>(made), upper);
  if (op == "convTranspose2d") return pad(*static_cast<ops::convTranspose2d*>(made), upper);
  if (op == "averagePool2d") return pad_pool(*static_cast<ops::averagePool2d*>(made), upper);
  if (op == "l2Pool2d") return pad_pool(*static_cast<ops::l2Pool2d*>(made), upper);
  return pad_pool(*static_cast<ops::maxPool2d*>(made), upper);
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

}  // namespace webnn::text
