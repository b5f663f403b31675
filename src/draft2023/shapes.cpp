// Operators of the 2023 draft that are composed of reshapes, slices and similar operators.
#include "src/draft2023/members.h"
#include "src/graph/failure.h"
#include "webnn/draft2023.h"

namespace webnn::inline v0_1::draft2023 {
namespace {

// All members are passed on.
static_assert(has_exactly<webnn::MLPadOptions, 3>);

[[noreturn]] void refuse(const Failure& f, std::string_view op, std::string_view label) {
  raise({f.message, ErrorName::DataError}, op, label);
}

/// One dimension with its beginning and ending mirrored around the borders.
MLOperand mirrored(webnn::MLGraphBuilder& b, const MLOperand& x, std::uint32_t axis,
                   std::uint32_t beginning, std::uint32_t ending, const std::string& label) {
  const auto part = [&](std::uint32_t start, std::uint32_t size) {
    Dims starts(x.rank(), 0), sizes = x.shape();
    starts[axis] = start;
    sizes[axis] = size;
    return b.reverse(b.slice(x, starts, sizes, {.label = label}), {.axes = {axis}, .label = label});
  };
  std::vector<MLOperand> parts;
  if (beginning) parts.push_back(part(0, beginning));
  parts.push_back(x);
  if (ending) parts.push_back(part(x.shape()[axis] - ending, ending));
  return b.concat(std::move(parts), axis, {.label = label});
}

MLOperand symmetric_pad(webnn::MLGraphBuilder& b, const MLOperand& input, const Dims& beginning,
                        const Dims& ending, const std::string& label) {
  const Dims& in = input.shape();
  if (auto bad = shape::check_length("beginningPadding", beginning.size(), in.size()))
    refuse(*bad, "pad", label);
  if (auto bad = shape::check_length("endingPadding", ending.size(), in.size()))
    refuse(*bad, "pad", label);
  for (std::size_t d = 0; d < in.size(); ++d)
    for (const auto& [name, padding] :
         {std::pair("beginningPadding", beginning[d]), std::pair("endingPadding", ending[d])})
      if (padding > in[d])
        refuse(fail("{}[{}] ({}) is greater than dimension {} ({}) of input", name, d, padding, d,
                    in[d]),
               "pad", label);
  MLOperand y = b.identity(input, {.label = label});
  for (std::uint32_t d = 0; d < in.size(); ++d)
    if (beginning[d] || ending[d]) y = mirrored(b, y, d, beginning[d], ending[d], label);
  return y;
}

}  // namespace

MLOperand MLGraphBuilder::pad(const MLOperand& input, const Dims& beginningPadding,
                              const Dims& endingPadding, MLPadOptions o) {
  return as_data_error([&] {
    if (o.mode == MLPaddingMode::symmetric && input)
      return symmetric_pad(core_, input, beginningPadding, endingPadding, o.label);
    const auto mode = enum_from<webnn::MLPaddingMode>(name_of(o.mode));
    return core_.pad(input, beginningPadding, endingPadding,
                     {.mode = mode.value_or(webnn::MLPaddingMode::constant),
                      .value = o.value,
                      .label = std::move(o.label)});
  });
}

MLOperand MLGraphBuilder::matmul(const MLOperand& a, const MLOperand& b, MLOperatorOptions o) {
  return as_data_error([&] {
    const bool row = a && a.rank() == 1, column = b && b.rank() == 1;
    if (!row && !column) return core_.matmul(a, b, std::move(o));
    const MLOperand matrix_a = row ? core_.reshape(a, {1, a.shape()[0]}, o) : a;
    const MLOperand matrix_b = column ? core_.reshape(b, {b.shape()[0], 1}, o) : b;
    const MLOperand y = core_.matmul(matrix_a, matrix_b, o);
    return row && column ? core_.reshape(y, {}, o) : y;
  });
}

MLOperand MLGraphBuilder::reshape(const MLOperand& input, const OpenShape& shape,
                                  MLOperatorOptions o) {
  return as_data_error([&] {
    Dims given;
    std::size_t open = 0;
    std::uint64_t known = 1;
    for (const auto& size : shape) {
      if (!size) ++open;
      else known = std::min(known * *size, shape::max_dimension + 1);  // too many already
      given.push_back(size.value_or(1));
    }
    if (open > 1) refuse(fail("newShape has {} open dimensions", open), "reshape", o.label);
    if (open == 1 && input) {
      const std::uint64_t count = element_count(input.shape());
      if (known == 0 || count % known != 0)
        refuse(fail("the number ({}) of elements of input is not a multiple of the product ({}) of "
                    "the given dimensions",
                    count, known),
               "reshape", o.label);
      const auto at = std::find(shape.begin(), shape.end(), std::nullopt) - shape.begin();
      given[static_cast<std::size_t>(at)] = static_cast<std::uint32_t>(count / known);
    }
    return core_.reshape(input, std::move(given), std::move(o));
  });
}

MLOperand MLGraphBuilder::squeeze(const MLOperand& input, const MLSqueezeOptions& o) {
  return as_data_error([&] {
    if (!input) refuse(fail("input is missing"), "squeeze", o.label);
    const Dims& in = input.shape();
    if (o.axes)
      if (auto bad = shape::check_axes(*o.axes, input)) refuse(*bad, "squeeze", o.label);
    Dims kept;
    for (std::uint32_t d = 0; d < in.size(); ++d) {
      const bool named = o.axes && std::find(o.axes->begin(), o.axes->end(), d) != o.axes->end();
      if (named && in[d] != 1)
        refuse(fail("dimension {} ({}) of input is not 1", d, in[d]), "squeeze", o.label);
      if (!(o.axes ? named : in[d] == 1)) kept.push_back(in[d]);
    }
    return core_.reshape(input, std::move(kept), {.label = o.label});
  });
}

}  // namespace webnn::inline v0_1::draft2023
