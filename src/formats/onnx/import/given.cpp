#include "src/formats/onnx/import/given.h"

#include "src/builder/builder_state.h"
#include "src/formats/onnx/import/call.h"

namespace webnn::inline v0_1::onnx {

std::string subject_of(const ValueInfo& info) { return format("input {}", {in_quotes(info.name)}); }

std::optional<MLOperandDataType> input_type(const Import& import, const ValueInfo& info) {
  if (info.type == ElementType::DOUBLE && import.options.narrow_double) return float32;
  if (is_narrow(info.type)) return wider_type_of(info.type);
  return data_type_of(info.type);
}

ElementType narrow_type(const ValueInfo& info) {
  return is_narrow(info.type) ? info.type : ElementType::UNDEFINED;
}

bool is_result(const Import& import, std::string_view name) {
  return std::ranges::any_of(import.model.graph.nodes, [&](const Node& node) {
    return std::ranges::find(node.outputs, name) != node.outputs.end();
  });
}

void note_open(Import& import, const MLOperand& x) {
  if (!x.is_open() || import.partial) return;
  import.partial = std::make_unique<formats::PartialValues>(import.builder);
  detail::state_of(import.builder)->data.relies_on_known_sizes = true;
}

Value given_value(Import& import, const ValueInfo& info, const ImportOptions::Value& given) {
  const File& file = import.file;
  const auto type = *input_type(import, info);
  std::uint64_t elements = 1;
  bool fits = !info.has_shape || info.shape.size() == given.shape.size();
  for (std::size_t i = 0; i < given.shape.size(); ++i) {
    elements *= given.shape[i];
    if (elements > max_tensor_byte_length) fits = false;
    if (fits && info.has_shape && info.shape[i].value && *info.shape[i].value >= 0)
      fits = *info.shape[i].value == given.shape[i];
    if (!fits) break;
  }
  if (!fits)
    wrong_option(file, fail("{}: the shape of the values given ({}) is not that of the file",
                            subject_of(info), given.shape));
  Value v{.boolean = info.type == ElementType::BOOL, .narrow = narrow_type(info)};
  if (given.type && *given.type != type)
    wrong_option(file, fail("{}: the values given are {}, but the file says {}", subject_of(info),
                            *given.type, name_of_type(info.type)));
  if (given.bytes.size() != (elements * static_cast<std::uint64_t>(bits_of(type)) + 7) / 8)
    wrong_option(
        file,
        fail("{}: the values given have {} bytes, which is not the size of shape {} and type {}",
             subject_of(info), given.bytes.size(), given.shape, type));
  if (elements == 0) {
    v.empty = ops::Sizes(given.shape.begin(), given.shape.end());
    v.type = type;
  } else {
    v.x = import.builder.constant({type, given.shape}, given.bytes);
  }
  return v;
}

MLOperand given_operand(const Import& import, const ValueInfo& info, const MLOperand& x) {
  const File& file = import.file;
  if (!x || owner_of(x) != &detail::state_of(import.builder)->data)
    wrong_option(file, fail("{}: the given operand belongs to another builder", subject_of(info)));
  if (x.dataType() != input_type(import, info))
    wrong_option(file, fail("{}: the operand given is {}, but the file says {}", subject_of(info),
                            x.dataType(), name_of_type(info.type)));
  const auto own = x.dimensions();
  bool same = own && (!info.has_shape || info.shape.size() == own->size());
  for (std::size_t i = 0; same && i < info.shape.size(); ++i)
    same = !info.shape[i].value || (*own)[i].is_open() || *info.shape[i].value == (*own)[i].size();
  if (!same)
    wrong_option(file, fail("{}: the operand given has shape {}, which is not the file's",
                            subject_of(info), Call::shape_text(x)));
  return x;
}

void set_given_results(Import& import, Scope& scope) {
  for (const auto& [name, x] : import.options.inputs) {
    if (!is_result(import, name)) continue;
    if (!x || owner_of(x) != &detail::state_of(import.builder)->data)
      wrong_option(import.file,
                   fail("value {}: the given operand belongs to another builder", in_quotes(name)));
    note_open(import, x);
    scope.set(name, {.x = x});
  }
}

}  // namespace webnn::inline v0_1::onnx
