#include "src/formats/graphinfo/forms.h"

#include <algorithm>
#include <limits>

#include "src/graph/failure.h"
#include "src/passes/permutation.h"

namespace webnn::inline v0_1::graphinfo {

using formats::Bad;
using formats::OperatorRow;
using formats::OperatorRows;
using formats::Value;

Form form_of(const OperatorRows& op, const OperatorRow& row) {
  const std::string_view name = row.name;
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::string_view* names = row.type->names.data();
  if (names == enum_names<MLInputOperandLayout>.data()) return Form::layout;
  if (names == enum_names<MLConv2dFilterOperandLayout>.data() ||
      names == enum_names<MLConvTranspose2dFilterOperandLayout>.data())
    return Form::filter_layout;
  if (op.name == "slice") return name == "starts" ? Form::ranges : Form::part;
  const bool pads = op.name == "pad" || op.name == "padDynamic";
  if (op.name == "sliceDynamic") return Form::same;
  if (pads && name == "mode") return Form::padding_mode;
  if (pads && name == "value") return Form::part;
  if (op.name == "clamp") return Form::number;
  if (name == "padding") return Form::padding2d;
  if (is_one_of({"strides", "dilations", "windowDimensions"})) return Form::size2d;
  if (is_one_of({"newShape", "outputDataType", "splits", "outputSizes"})) return Form::implied;
  if (is_one_of({"outputShapeRounding", "outputPadding"})) return Form::implied_unless_open;
  if (op.name == "cast" || (op.name == "resample2d" && name == "sizes")) return Form::implied;
  return Form::same;
}

Dims spatial(const OperandType& image, MLInputOperandLayout layout) {
  const std::size_t first = layout == MLInputOperandLayout::nchw ? 2 : 1;
  return {image.shape[first].size(), image.shape[first + 1].size()};
}

std::uint32_t channels_of(const OperandType& image, MLInputOperandLayout layout) {
  if (image.shape.size() != 4) return 0;
  return image.shape[layout == MLInputOperandLayout::nchw ? 1 : 3].size();
}

bool has_open_image(const OperandType& image, MLInputOperandLayout layout) {
  if (image.shape.size() != 4) return !image.ranked;
  const Dims sizes = spatial(image, layout);
  return sizes[0] == 0 || sizes[1] == 0;
}

Value default_of(const OperatorRows& op, const OperatorRow& row, const OperandType& input,
                 MLInputOperandLayout layout) {
  const bool follows = row.name == "axes" || row.name == "permutation";
  if (follows && (!input.ranked || op.name == "squeeze")) return {};
  if (row.name == "windowDimensions" && has_open_image(input, layout)) return {};
  Dims all = identity_order(input.shape.size());
  if (row.name == "axes" && op.name == "layerNormalization" && !all.empty()) all.erase(all.begin());
  if (row.name == "axes") return formats::to_value(all);
  if (row.name == "permutation") return formats::to_value(Dims(all.rbegin(), all.rend()));
  if (row.name == "windowDimensions") return formats::to_value(spatial(input, layout));
  if (row.name != "activations") return {};
  using enum MLRecurrentNetworkActivation;
  std::vector<MLRecurrentNetworkActivation> activations{sigmoid, tanh};
  if (op.name.starts_with("lstm")) activations.push_back(tanh);
  return formats::to_value(activations);
}

Value size2d(std::uint32_t height, std::uint32_t width) {
  Value v = Value::object();
  v.set("height", formats::to_value(height));
  v.set("width", formats::to_value(width));
  return v;
}

Bad read_size2d(const Value& value, std::uint32_t& height, std::uint32_t& width) {
  const Value *h = value.find("height"), *w = value.find("width");
  if (!h || !w) return fail("{} does not have height and width", shown(value));
  auto bad = from_value(*h, height);
  return bad ? bad : from_value(*w, width);
}

Value padding2d(const Dims& p) {
  Value v = Value::object();
  v.set("beginning", size2d(p[0], p[2]));
  v.set("ending", size2d(p[1], p[3]));
  return v;
}

Bad read_padding2d(const Value& value, Dims& p) {
  const Value *beginning = value.find("beginning"), *ending = value.find("ending");
  if (!beginning || !ending) return fail("{} does not have beginning and ending", shown(value));
  p.assign(4, 0);
  auto bad = read_size2d(*beginning, p[0], p[2]);
  return bad ? bad : read_size2d(*ending, p[1], p[3]);
}

Value number_union(const MLNumber& v) {
  Value u = Value::object();
  const char* member = v.is_negative_integer() ? "signed_integer"
                       : v.is_integer()        ? "unsigned_integer"
                                               : "floating_point";
  Value number = formats::to_value(v);
  u.set(member, std::move(number));
  return u;
}

Bad read_number_union(const Value& value, MLNumber& v) {
  if (value.kind != Value::Kind::object || value.items.size() != 2)
    return fail("{} is not an object with one number", shown(value));
  const std::string& member = value.items[0].text;
  if (member == "floating_point") {
    double d = 0;
    auto bad = from_value(value.items[1], d);
    v = d;
    return bad;
  }
  if (member != "signed_integer" && member != "unsigned_integer")
    return fail("\"{}\" is not one of floating_point, signed_integer, unsigned_integer", member);
  auto bad = from_value(value.items[1], v);
  if (!bad && !v.is_integer()) bad = fail("{} is not an integer", shown(value.items[1]));
  return bad;
}

std::string_view filter_layout(std::string_view op, MLInputOperandLayout layout, bool depthwise) {
  const bool nchw = layout == MLInputOperandLayout::nchw;
  if (op == "convTranspose2d") return nchw ? "iohw" : "ohwi";
  return nchw ? "oihw" : depthwise ? "ihwo" : "ohwi";
}

Dims permutation(std::string_view from, std::string_view to) {
  Dims order;
  for (char c : to) order.push_back(static_cast<std::uint32_t>(from.find(c)));
  return order;
}

}  // namespace webnn::inline v0_1::graphinfo
