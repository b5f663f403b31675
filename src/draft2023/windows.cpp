// Convolutions and pooling of the 2023 draft: automatic padding, and an activation at the end.
#include "src/draft2023/members.h"
#include "src/graph/failure.h"
#include "webnn/draft2023.h"

namespace webnn::inline v0_1::draft2023 {
namespace {

// All members are passed on.
static_assert(has_exactly<webnn::MLConv2dOptions, 8>);
static_assert(has_exactly<webnn::MLConvTranspose2dOptions, 10>);
static_assert(has_exactly<webnn::MLPool2dOptions, 8>);

using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// The padding of one axis: beginning and ending.
Pair halves(std::uint64_t total, MLAutoPad mode, std::string_view op, std::string_view label) {
  if (total > shape::max_dimension)
    raise(
        {fail("the automatic padding ({}) is greater than {}", total, shape::max_dimension).message,
         ErrorName::DataError},
        op, label);
  const auto less = static_cast<std::uint32_t>(total / 2);
  const auto more = static_cast<std::uint32_t>(total - less);
  return mode == MLAutoPad::same_upper ? Pair{less, more} : Pair{more, less};
}

/// The padding with which the size of the result is ceil(input / stride).
std::uint64_t same_padding(std::uint64_t input, std::uint64_t window, std::uint64_t stride,
                           std::uint64_t dilation) {
  const std::uint64_t needed =
      ((input + stride - 1) / stride - 1) * stride + (window - 1) * dilation + 1;
  return needed > input ? needed - input : 0;
}

/// Whether padding can be computed; if not, the operator throws for what is wrong.
template <class Options> bool resolvable(const MLOperand& input, const Options& o) {
  const auto usable = [](const Dims& pair) { return pair.size() == 2 && pair[0] && pair[1]; };
  return o.autoPad != MLAutoPad::explicit_ && input && input.rank() == 4 && usable(o.strides) &&
         usable(o.dilations);
}

/// f(0 or 1) gives the padding of height and of width.
template <class Options, class F> void set_padding(Options& o, const char* op, F&& f) {
  const Pair height = halves(f(0), o.autoPad, op, o.label);
  const Pair width = halves(f(1), o.autoPad, op, o.label);
  o.padding = {height.first, height.second, width.first, width.second};
}

MLOperand activated(webnn::MLGraphBuilder& b, const MLOperand& y, const OptionalActivation& a) {
  return a ? a->apply(b, y) : y;
}

/// The padding of a transposed convolution so that the result has input * stride.
void resolve(MLConvTranspose2dOptions& o, const shape::Image& image, const ops::Filter& f) {
  const std::uint64_t in[] = {image.height, image.width}, filter[] = {f.height, f.width};
  const bool given = o.outputSizes.has_value();
  Dims sizes;
  set_padding(o, "convTranspose2d", [&](int i) -> std::uint64_t {
    const std::uint64_t whole =
        shape::transposed_extent(in[i], {filter[i], 0, 0, o.strides[i], o.dilations[i]}) +
        (given ? 0 : o.outputPadding[i]);
    const std::uint64_t wanted = given ? (*o.outputSizes)[i] : in[i] * o.strides[i];
    sizes.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, 0xffffffff)));
    return whole > wanted ? whole - wanted : 0;
  });
  if (!given) o.outputSizes = sizes;  // where the filter is smaller than the stride, zeros follow
}

template <class Op>
MLOperand pooled(webnn::MLGraphBuilder& b, const MLOperand& x, MLPool2dOptions o) {
  const bool window_usable =
      !o.windowDimensions ||
      (o.windowDimensions->size() == 2 && (*o.windowDimensions)[0] && (*o.windowDimensions)[1]);
  if (resolvable(x, o) && window_usable) {
    const shape::Image image = shape::image(x.shape(), o.layout);
    const std::uint64_t in[] = {image.height, image.width};
    set_padding(o, Op::declaration.name.data(), [&](int i) {
      return same_padding(in[i], o.windowDimensions ? (*o.windowDimensions)[i] : in[i],
                          o.strides[i], o.dilations[i]);
    });
    o.roundingType = MLRoundingType::floor;
  }
  return b.append(Op{x,
                     {.windowDimensions = std::move(o.windowDimensions),
                      .padding = std::move(o.padding),
                      .strides = std::move(o.strides),
                      .dilations = std::move(o.dilations),
                      .layout = o.layout,
                      .outputShapeRounding = o.roundingType,
                      .outputSizes = std::move(o.outputSizes),
                      .label = std::move(o.label)}});
}

}  // namespace

MLOperand MLGraphBuilder::conv2d(const MLOperand& input, const MLOperand& filter,
                                 MLConv2dOptions o) {
  return as_data_error([&] {
    if (resolvable(input, o) && filter && filter.rank() == 4) {
      const shape::Image image = shape::image(input.shape(), o.inputLayout);
      const ops::Filter f = ops::filter_sizes(filter.shape(), o.filterLayout);
      set_padding(o, "conv2d", [&](int i) {
        return same_padding(i == 0 ? image.height : image.width, i == 0 ? f.height : f.width,
                            o.strides[i], o.dilations[i]);
      });
    }
    const MLOperand y = core_.conv2d(input, filter,
                                     {.padding = std::move(o.padding),
                                      .strides = std::move(o.strides),
                                      .dilations = std::move(o.dilations),
                                      .groups = o.groups,
                                      .inputLayout = o.inputLayout,
                                      .filterLayout = o.filterLayout,
                                      .bias = std::move(o.bias),
                                      .label = std::move(o.label)});
    return activated(core_, y, o.activation);
  });
}

MLOperand MLGraphBuilder::convTranspose2d(const MLOperand& input, const MLOperand& filter,
                                          MLConvTranspose2dOptions o) {
  return as_data_error([&] {
    if (resolvable(input, o) && filter && filter.rank() == 4 && o.outputPadding.size() == 2 &&
        (!o.outputSizes || o.outputSizes->size() == 2))
      resolve(o, shape::image(input.shape(), o.inputLayout),
              ops::filter_sizes(filter.shape(), o.filterLayout));
    const MLOperand y = core_.convTranspose2d(input, filter,
                                              {.padding = std::move(o.padding),
                                               .strides = std::move(o.strides),
                                               .dilations = std::move(o.dilations),
                                               .outputPadding = std::move(o.outputPadding),
                                               .outputSizes = std::move(o.outputSizes),
                                               .groups = o.groups,
                                               .inputLayout = o.inputLayout,
                                               .filterLayout = o.filterLayout,
                                               .bias = std::move(o.bias),
                                               .label = std::move(o.label)});
    return activated(core_, y, o.activation);
  });
}

MLOperand MLGraphBuilder::averagePool2d(const MLOperand& input, MLPool2dOptions o) {
  return as_data_error([&] { return pooled<ops::averagePool2d>(core_, input, std::move(o)); });
}
MLOperand MLGraphBuilder::l2Pool2d(const MLOperand& input, MLPool2dOptions o) {
  return as_data_error([&] { return pooled<ops::l2Pool2d>(core_, input, std::move(o)); });
}
MLOperand MLGraphBuilder::maxPool2d(const MLOperand& input, MLPool2dOptions o) {
  return as_data_error([&] { return pooled<ops::maxPool2d>(core_, input, std::move(o)); });
}

}  // namespace webnn::inline v0_1::draft2023
