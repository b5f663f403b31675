// Where the schemas have another form for an attribute than its own type. Private.
#pragma once

#include "src/formats/common/operator_rows.h"
#include "src/formats/graphinfo/shapes.h"
#include "webnn/graphinfo.h"

namespace webnn::inline v0_1::graphinfo {

/// The data types of operands.
constexpr DataTypes types_in(Schema schema) {
  const DataTypes bytes{float32, float16, int32, uint32, int64, uint64, int8, uint8};
  return schema == Schema::v2023 ? bytes : bytes | DataTypes{int4, uint4};
}

enum class Form {
  same,                 ///< a field with the value
  implied,              ///< follows from the results
  implied_unless_open,  ///< the same, and a field where sizes of an image are open
  size2d,               ///< {"height": 1, "width": 1}
  padding2d,            ///< {"beginning": size, "ending": size}
  layout,               ///< the layout of images, one for the whole graph
  filter_layout,        ///< follows from the layout of images
  number,               ///< in 2026 {"floating_point": 1}, and infinite where there is none
  ranges,               ///< starts, sizes and strides of a slice are one list
  padding_mode,         ///< mode and value of pad are one union
  part                  ///< another attribute's form has it
};
Form form_of(const formats::OperatorRows& op, const formats::OperatorRow& row);

/// The value of an attribute that is absent, for what the schemas always have: axes, permutation,
/// activations, dimensions of a window. Null for others, and where it follows from open sizes.
formats::Value default_of(const formats::OperatorRows& op, const formats::OperatorRow& row,
                          const OperandType& input, MLInputOperandLayout layout);

/// Height and width of an image; 0 where they are open.
Dims spatial(const OperandType& image, MLInputOperandLayout layout);
/// The number of channels of an image; 0 where it is open.
std::uint32_t channels_of(const OperandType& image, MLInputOperandLayout layout);
/// Whether height or width of an image is open.
bool has_open_image(const OperandType& image, MLInputOperandLayout layout);

formats::Value size2d(std::uint32_t height, std::uint32_t width);
formats::Bad read_size2d(const formats::Value& value, std::uint32_t& height, std::uint32_t& width);
/// From beginning and ending height, beginning and ending width.
formats::Value padding2d(const Dims& padding);
formats::Bad read_padding2d(const formats::Value& value, Dims& padding);

formats::Value number_union(const MLNumber& v);
formats::Bad read_number_union(const formats::Value& value, MLNumber& v);

/// The layout of filters that goes with a layout of images: that of an enumeration by its names.
std::string_view filter_layout(std::string_view op, MLInputOperandLayout layout, bool depthwise);
/// The order that makes a tensor of one layout from one of another: "oihw", "ohwi".
Dims permutation(std::string_view from, std::string_view to);

}  // namespace webnn::inline v0_1::graphinfo
