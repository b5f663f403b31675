// A model in the words of its file.
#include <algorithm>

#include "src/builder/builder_state.h"
#include "src/formats/common/mapped_file.h"
#include "src/formats/tflite/embedded_schema.h"
#include "src/formats/tflite/import/call.h"

namespace webnn::inline v0_1::tflite {
namespace {

using formats::FileGraph;
using formats::FileOperator;
using formats::FileValue;
using formats::FileView;

std::string text_of_bytes(std::string_view text) {
  return std::string(truncated(text, formats::max_view_text));
}

/// The names of operands of operators whose operands differ in what they are for.
std::string operand_name(schema::BuiltinOperator code, std::size_t i) {
  using enum schema::BuiltinOperator;
  static const std::map<schema::BuiltinOperator, std::string_view> rows = {
      {CONV_2D, "input, filter, bias"},
      {DEPTHWISE_CONV_2D, "input, filter, bias"},
      {TRANSPOSE_CONV, "output_shape, filter, input, bias"},
      {FULLY_CONNECTED, "input, weights, bias"},
      {GATHER, "params, indices"},
      {GATHER_ND, "params, indices"},
      {PAD, "input, paddings"},
      {PADV2, "input, paddings, value"},
      {RESHAPE, "input, shape"},
      {SLICE, "input, begin, size"},
      {STRIDED_SLICE, "input, begin, end, strides"},
      {TRANSPOSE, "input, permutation"},
      {MEAN, "input, axes"},
      {SUM, "input, axes"},
      {REDUCE_MAX, "input, axes"},
      {SPLIT, "axis, input"},
      {SPLIT_V, "input, sizes, axis"},
      {RESIZE_BILINEAR, "input, size"},
      {RESIZE_NEAREST_NEIGHBOR, "input, size"},
      {PRELU, "input, alpha"},
      {ASSIGN_VARIABLE, "variable, value"},
      {READ_VARIABLE, "variable"}};
  const auto row = rows.find(code);
  if (row == rows.end()) return {};
  const auto names = split(row->second);
  return i < names.size() ? std::string(names[i]) : std::string();
}

/// The file's type and shape of a tensor, with the scale of one that is quantized; sizes that it
/// leaves open are as the import has them.
std::string type_text(const schema::Tensor& t, const formats::ImportLog::Type* found) {
  const char* type = schema::EnumNameTensorType(t.type());
  std::string text =
      *type ? formats::lower_case(type) : "type " + std::to_string(static_cast<int>(t.type()));
  const auto signature = elements_of(t.shape_signature()), own = elements_of(t.shape());
  const auto shape = signature.size() == own.size() && !signature.empty() ? signature : own;
  if (found && std::ranges::any_of(shape, [](std::int32_t d) { return d < 0; }))
    text += ' ' + found->shape;
  else if (!shape.empty() || t.has_rank())
    text +=
        ' ' + formats::view_shape(std::vector<std::int64_t>(
                  shape.begin(), shape.begin() + std::min<std::ptrdiff_t>(64, std::ssize(shape))));
  if (const auto* q = t.quantization(); q && size_of(q->scale()) > 0) {
    const auto scales = elements_of(q->scale());
    if (scales.size() > 1) return text + ", " + std::to_string(scales.size()) + " scales";
    text += ", scale " + formats::view_number(static_cast<double>(scales[0]));
    if (size_of(q->zero_point()) > 0)
      text += ", zero point " + std::to_string(q->zero_point()->Get(0));
  }
  return text;
}

class Viewer {
 public:
  Viewer(const File& file, const formats::ImportLog& log, std::size_t main)
      : file_(file), log_(log), main_(main) {}

  FileView run() {
    const schema::Model& m = *file_.model;
    view_.properties.emplace_back("version", std::to_string(m.version()));
    for (fb::uoffset_t i = 0; i < std::min<std::size_t>(size_of(m.signature_defs()), 100); ++i)
      view_.properties.emplace_back(
          "signature", text_of_bytes(text_of(m.signature_defs()->Get(i)->signature_key())));
    for (fb::uoffset_t i = 0; i < std::min<std::size_t>(size_of(m.metadata()), 100); ++i)
      view_.properties.emplace_back("metadata",
                                    text_of_bytes(text_of(m.metadata()->Get(i)->name())));
    const std::size_t count = size_of(m.subgraphs());
    // The chosen one is the first.
    for (std::size_t i = 0; i < count; ++i)
      place_of_.push_back(i == main_ ? 0 : i < main_ ? i + 1 : i);
    view_.graphs.resize(count);
    for (std::size_t i = 0; i < count; ++i) view_.graphs[place_of_[i]] = graph(i);
    return std::move(view_);
  }

 private:
  FileGraph graph(std::size_t index) const {
    const schema::SubGraph& table =
        *file_.model->subgraphs()->Get(static_cast<fb::uoffset_t>(index));
    const std::string name = text_of_bytes(text_of(table.name()));
    FileGraph g{.title = "subgraph " + std::to_string(index) + (name.empty() ? "" : ' ' + name)};
    for (fb::uoffset_t i = 0; i < size_of(table.tensors()); ++i) {
      const schema::Tensor& t = *table.tensors()->Get(i);
      const auto found = log_.types.find(std::to_string(i));
      const bool known = index == main_ && found != log_.types.end();
      auto bytes = buffer_bytes(file_, t.buffer());
      g.values.push_back({std::string(text_of(t.name())),
                          type_text(t, known ? &found->second : nullptr),
                          bytes && !bytes->empty()});
    }
    const auto is_tensor = [&](std::int32_t t) {
      return t >= 0 && static_cast<std::size_t>(t) < g.values.size();
    };
    for (std::int32_t t : elements_of(table.inputs()))
      if (is_tensor(t)) g.inputs.push_back(static_cast<std::size_t>(t));
    for (std::int32_t t : elements_of(table.outputs()))
      if (is_tensor(t)) g.outputs.push_back(static_cast<std::size_t>(t));
    for (fb::uoffset_t i = 0; i < size_of(table.operators()); ++i) {
      const schema::Operator& op = *table.operators()->Get(i);
      if (op.opcode_index() >= size_of(file_.model->operator_codes()))
        refuse(file_, fail("operator {}: its code ({}) is not less than the number of codes ({})",
                           i, op.opcode_index(), size_of(file_.model->operator_codes())));
      const auto code = code_of(file_, op);
      FileOperator o{.index = i, .type = type_of(op)};
      std::size_t k = 0;
      for (std::int32_t t : elements_of(op.inputs())) {
        if (is_tensor(t)) o.inputs.push_back({operand_name(code, k), static_cast<std::size_t>(t)});
        ++k;
      }
      for (std::int32_t t : elements_of(op.outputs()))
        if (is_tensor(t)) o.outputs.push_back({{}, static_cast<std::size_t>(t)});
      // The format has no names of operators; what they write has.
      if (!o.outputs.empty()) o.name = g.values[o.outputs[0].value].name;
      add_attributes(o, op);
      o.refusal = refusal(op, index, i);
      g.operators.push_back(std::move(o));
    }
    return g;
  }

  std::string type_of(const schema::Operator& op) const {
    const auto code = code_of(file_, op);
    if (code != schema::BuiltinOperator::CUSTOM) {
      const char* name = schema::EnumNameBuiltinOperator(code);
      return *name ? formats::camel_case(name)
                   : "operator " + std::to_string(static_cast<int>(code));
    }
    const std::string name = text_of_bytes(
        text_of(file_.model->operator_codes()->Get(op.opcode_index())->custom_code()));
    return name.empty() ? "custom" : name;
  }

  void add_attributes(FileOperator& o, const schema::Operator& op) const {
    const formats::EmbeddedSchema& embedded = embedded_schema();
    const auto* object = embedded.object("webnn_schema.tflite.Operator");
    if (object)
      o.attributes = formats::FieldReader(embedded).union_fields(
          *object, reinterpret_cast<const fb::Table&>(op), "builtin_options");
    const auto bytes = elements_of(op.custom_options());
    if (!bytes.empty()) {
      std::string text = std::to_string(bytes.size()) + " bytes:";
      constexpr char digits[] = "0123456789abcdef";
      for (std::size_t i = 0; i < bytes.size() && i < formats::max_view_elements; ++i)
        text += {' ', digits[bytes[i] >> 4], digits[bytes[i] & 15]};
      o.attributes.emplace_back("custom_options",
                                text + (bytes.size() > formats::max_view_elements ? " ..." : ""));
    }
    for (const auto& [name, value] : o.attributes)
      if (name.ends_with("subgraph_index") || name == "subgraph" ||
          name.ends_with("subgraph_idx")) {
        const std::size_t i = std::strtoull(value.c_str(), nullptr, 10);
        if (i < place_of_.size()) o.graphs.push_back(place_of_[i]);
      }
  }

  std::string refusal(const schema::Operator& op, std::size_t subgraph, std::size_t index) const {
    if (subgraph == main_)
      if (const auto at = log_.refusals.find(index); at != log_.refusals.end())
        return formats::without_part(at->second, name_of_operator(file_, op, index));
    return handler_of(file_, op) ? "" : "it has no WebNN counterpart";
  }

  const File& file_;
  const formats::ImportLog& log_;
  std::size_t main_;
  std::vector<std::size_t> place_of_{};
  FileView view_;
};

}  // namespace

FileView view_file(const formats::ViewedFile& f, const webnn::ImportOptions& given) {
  ImportOptions options{.signature = given.signature,
                        .subgraph = given.subgraph,
                        .shapes = given.shapes,
                        .dimensions = given.dimensions,
                        .outputs = given.outputs,
                        .max_bytes = given.max_bytes};
  for (const auto& [name, v] : given.values) options.values[name] = {v.shape, v.bytes, v.type};
  File file;
  if (f.path.empty()) {
    file = open_file(f.owner, f.bytes, f.label);
  } else {
    auto mapped = formats::map_file(f.path);
    if (!mapped) raise(mapped.failure(), "tflite", f.path);
    file = open_file(std::move(mapped->owner), mapped->bytes, f.path);
  }
  const std::uint64_t size = file.bytes.size();
  MLGraphBuilder builder(formats::view_context());
  formats::ImportLog log;
  Import import{builder, std::move(file), options, {options.max_bytes, size}};
  import.log = &log;
  std::string error;
  try {
    import_all(import);
  } catch (const Error& e) { error = e.reason(); }
  const std::size_t main = std::min<std::size_t>(chosen_subgraph(import.file, options),
                                                 size_of(import.file.model->subgraphs()) - 1);
  FileView view = Viewer(import.file, log, main).run();
  const bool is_noted = std::ranges::any_of(
      view.graphs[0].operators, [](const FileOperator& o) { return !o.refusal.empty(); });
  if (!error.empty() && !is_noted) view.refusals.push_back(error);
  return view;
}

}  // namespace webnn::inline v0_1::tflite
