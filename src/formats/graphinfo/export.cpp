// export_model(): the operands and operations of a graph, in the structures of a schema.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "src/formats/common/base64.h"
#include "src/formats/common/constant_names.h"
#include "src/formats/common/failures.h"
#include "src/formats/common/json.h"
#include "src/formats/common/static_graph.h"
#include "src/formats/common/write_file.h"
#include "src/formats/graphinfo/forms.h"
#include "src/formats/graphinfo/names.h"
#include "src/graph/failure.h"
#include "src/graph/op.h"
#include "src/graph/text.h"
#include "src/kernels/common/sizes.h"
#include "webnn/graphinfo.h"

namespace webnn::inline v0_1::graphinfo {
namespace {

using formats::OperatorRow;
using formats::OperatorRows;
using formats::Value;
using enum MLInputOperandLayout;

constexpr std::size_t max_inline_bytes = 16;

template <class T>
const T* value_as(const OperatorRows& rows, const void* op, std::string_view name) {
  const OperatorRow* row = rows.find(name);
  return row ? static_cast<const T*>(row->get(op)) : nullptr;
}
/// The layout of an operator on images; nothing for other operators.
std::optional<MLInputOperandLayout> layout_of(const OperatorRows& rows, const void* op) {
  for (const OperatorRow& row : rows.rows)
    if (row.is_attribute() && form_of(rows, row) == Form::layout)
      return *static_cast<const MLInputOperandLayout*>(row.get(op));
  return std::nullopt;
}

class Exporter {
 public:
  Exporter(const Graph& graph, Schema schema, bool with_weights)
      : graph_(graph), schema_(schema), with_weights_(with_weights), ids_(graph.operand_count()) {
    bool any = false, all = true;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Node node = graph.node(i);
      const auto layout = layout_of(formats::rows_of(node.kind()), node.op());
      any = any || layout;
      all = all && (!layout || *layout == nhwc);
    }
    layout_ = any && all ? nhwc : nchw;
  }

  Files run() {
    Value inputs = Value::list(), outputs = Value::list();
    for (const auto& [name, x] : graph_.inputs())
      inputs.items.push_back(id_value(ids_[x.record().id] = operand("kInput", type_of(x), name)));
    for (const auto& [name, x] : formats::constants_of(graph_)) constant(name, x);
    for (std::size_t i = 0; i < graph_.size(); ++i) node(graph_.node(i));
    if (!refusals_.empty()) raise_all();
    std::vector<bool> named(graph_.operand_count());
    for (const auto& [name, y] : graph_.outputs()) {
      std::uint32_t id = ids_[y.record().id];
      if (named[y.record().id] && bits_of(y.dataType()) == 4)
        refusals_.push_back("output " + in_quotes(name) +
                            ": it would be a second name of an operand of " +
                            std::string(name_of(y.dataType())));
      if (named[y.record().id]) id = identity(id, type_of(y));
      named[y.record().id] = true;
      operands_[id].items[5] = Value::string(name);
      outputs.items.push_back(id_value(id));
    }
    if (!refusals_.empty()) raise_all();
    return files(std::move(inputs), std::move(outputs));
  }

 private:
  bool is_2023() const { return schema_ == Schema::v2023; }
  std::uint32_t first_id() const { return is_2023() ? 1 : 0; }
  Value id_value(std::uint32_t id) const { return formats::to_value(id + first_id()); }

  [[noreturn]] void raise_all() const {
    formats::raise_refusals(refusals_, {"operator", "operand"}, "graphinfo export");
  }
  void refuse(const Node& node, const Failure& f) {
    refusals_.push_back(name_and_label(node) + ": " + f.message);
  }

  /// Adds an operand; its index.
  std::uint32_t operand(const char* kind, const OperandType& type, const std::string& name = {}) {
    if (!types_in(schema_).contains(type.dataType))
      refusals_.push_back(std::string("an operand: the schema of ") +
                          (is_2023() ? "2023" : "2026") + " has no " +
                          std::string(name_of(type.dataType)));
    Value descriptor = Value::object();
    descriptor.set("data_type", Value::string(enumerator(name_of(type.dataType))));
    descriptor.set("shape", shape_value(type));
    Value v = Value::object();
    v.set("kind", Value::string(kind));
    v.set("descriptor", std::move(descriptor));
    v.set("name", name.empty() ? Value() : Value::string(name));
    operands_.push_back(std::move(v));
    return static_cast<std::uint32_t>(operands_.size() - 1);
  }

  void constant(const std::string& name, const MLOperand& x) {
    const std::uint32_t id = ids_[x.record().id] = operand("kConstant", type_of(x));
    const auto bytes = x.constant()->bytes();
    Value buffer = Value::object();
    if (!with_weights_ || bytes.size() <= max_inline_bytes) {
      buffer.set("base64", Value::string(formats::to_base64(bytes)));
    } else {
      MLOperandDescriptor d = x.descriptor();
      if (bits_of(d.dataType) == 4) d = {uint8, {static_cast<std::uint32_t>(bytes.size())}};
      tensors_.push_back({name, d, bytes});
      buffer.set("tensor", Value::string(name));
    }
    constants_.set(std::to_string(id + first_id()), std::move(buffer));
  }

  // Operations

  void operation(const std::string& name, Value fields) {
    Value v = Value::object();
    v.set(name, std::move(fields));
    operations_.items.push_back(std::move(v));
  }
  std::uint32_t transposed(std::uint32_t id, OperandType& type, const Dims& order) {
    type = turned_type(type, order);
    const std::uint32_t to = operand("kOutput", type);
    Value fields = Value::object();
    fields.set("input_operand_id", id_value(id)).set("output_operand_id", id_value(to));
    fields.set("permutation", formats::to_value(order)).set("label", Value::string(""));
    operation("transpose", std::move(fields));
    return to;
  }
  std::uint32_t identity(std::uint32_t id, const OperandType& type) {
    const std::uint32_t to = operand("kOutput", type);
    Value fields = Value::object();
    fields.set("kind", Value::string("kIdentity")).set("input_operand_id", id_value(id));
    fields.set("output_operand_id", id_value(to)).set("label", Value::string(""));
    operation("element_wise_unary", std::move(fields));
    return to;
  }

  void node(const Node& node) {
    if (node.kind() >= ops::DeclaredOps::size) refuse_kind(node.kind(), node.op());
    const OperatorRows& rows = formats::rows_of(node.kind());
    const Operation& names = operation_of(node.kind());
    if (is_2023() && !is_in_2023(names))
      refuse(node, fail("the schema of 2023 has no such operation"));
    const auto own_layout = layout_of(rows, node.op());
    const bool turned = own_layout && *own_layout != layout_;
    const std::string_view own = own_layout ? name_of(*own_layout) : "", common = name_of(layout_);

    Value fields = Value::object();
    if (!names.kind.empty()) fields.set("kind", Value::string(names.kind));
    OperandType image = type_of(node.input(0));
    for (const OperatorRow& row : rows.rows) {
      if (row.is_attribute()) continue;
      std::vector<Value> ids;
      for (const MLOperand& x : formats::operands_of(row, node.op())) {
        std::uint32_t id = ids_[x.record().id];
        if (turned && row.name == "input") id = transposed(id, image, permutation(own, common));
        if (row.name == "filter") id = filter(node, rows, x, image);
        ids.push_back(id_value(id));
      }
      const bool list = row.form == OperatorRow::Form::operands;
      fields.set(field_of(rows, row), list          ? Value::list(std::move(ids))
                                      : ids.empty() ? Value()
                                                    : std::move(ids[0]));
    }
    std::vector<std::uint32_t> results;
    for (const MLOperand& y : node.outputs()) {
      OperandType type = type_of(y);
      if (turned) type = turned_type(type, permutation(own, common));
      results.push_back(operand("kOutput", type));
    }
    const bool list = visit<ops::DeclaredOps>(
        []<class T>(const T&) { return ops::returns_list<T>(); }, node.kind(), node.op());
    Value result_ids = Value::list();
    for (const std::uint32_t id : results) result_ids.items.push_back(id_value(id));
    if (list) fields.set("output_operand_ids", std::move(result_ids));
    else fields.set("output_operand_id", std::move(result_ids.items[0]));
    for (const OperatorRow& row : rows.rows)
      if (row.is_attribute()) attribute(fields, node, rows, row, image);
    fields.set("label", Value::string(std::string(node.label())));
    operation(names.name, std::move(fields));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (turned) {
        OperandType type = turned_type(type_of(node.output(i)), permutation(own, common));
        results[i] = transposed(results[i], type, permutation(common, own));
      }
      ids_[node.output(i).record().id] = results[i];
    }
  }
  static OperandType turned_type(const OperandType& type, const Dims& order) {
    if (!type.ranked) return type;
    OperandType turned{type.dataType, {}};
    for (const std::uint32_t i : order) turned.shape.push_back(type.shape[i]);
    return turned;
  }

  /// The filter in the layout that goes with that of the images. `image` is in the common layout.
  std::uint32_t filter(const Node& node, const OperatorRows& rows, const MLOperand& x,
                       const OperandType& image) {
    const std::uint32_t id = ids_[x.record().id];
    const OperatorRow* row = rows.find("filterLayout");
    const auto* groups = value_as<std::uint32_t>(rows, node.op(), "groups");
    if (!row || !groups) return id;
    const std::string from = row->value(node.op()).text;
    const std::uint32_t channels = channels_of(image, layout_);
    const std::uint32_t outputs = channels_of(type_of(node.output(0)), *layout_of(rows, node.op()));
    const bool depthwise = *groups == channels && outputs == channels && *groups > 1;
    const std::string_view to = filter_layout(rows.name, layout_, depthwise);
    if (from == to) return id;
    OperandType type = type_of(x);
    return transposed(id, type, permutation(from, to));
  }

  void attribute(Value& fields, const Node& node, const OperatorRows& rows, const OperatorRow& row,
                 const OperandType& input) {
    Value value = row.value(node.op());
    if (value.kind == Value::Kind::null) value = default_of(rows, row, input, layout_);
    const std::string name = field_of(rows, row);
    switch (form_of(rows, row)) {
      case Form::same: fields.set(name, same(rows, row, node, std::move(value))); return;
      case Form::implied_unless_open: {
        const auto own = layout_of(rows, node.op());
        const auto* sizes = value_as<OptionalList<std::uint32_t>>(rows, node.op(), "outputSizes");
        if (!own || (sizes && *sizes)) return;
        if (!has_open_image(input, layout_) && !has_open_image(type_of(node.output(0)), *own))
          return;
        Dims size;
        if (!from_value(value, size)) value = size2d(size[0], size[1]);
        else value = same(rows, row, node, std::move(value));
        fields.set(name, std::move(value));
        return;
      }
      case Form::size2d: {
        Dims size;
        if (value.kind != Value::Kind::null) {  // a window of the whole image, which is open
          if (auto bad = from_value(value, size); bad || size.size() != 2)
            return refuse(node, fail("{} does not have two numbers", row.name));
          value = size2d(size[0], size[1]);
        }
        fields.set(name, std::move(value));
        return;
      }
      case Form::padding2d:
        fields.set(name, padding2d(*static_cast<const Dims*>(row.get(node.op()))));
        return;
      case Form::number: return bound(fields, node, row, name);
      case Form::ranges: return ranges(fields, node, rows);
      case Form::padding_mode: return padding_mode(fields, node, rows);
      case Form::layout:
        if (is_2023() && rows.name == "instanceNormalization")
          fields.set(name, Value::string(enumerator(name_of(layout_))));
        return;
      case Form::implied:
      case Form::filter_layout:
      case Form::part: return;
    }
  }
  /// Enumerators have other names in the schemas.
  Value same(const OperatorRows& rows, const OperatorRow& row, const Node& node, Value value) {
    if (rows.name == "resample2d" && row.name == "scales" &&
        *value_as<OptionalList<std::uint32_t>>(rows, node.op(), "sizes"))
      return {};
    if (row.type->names.empty()) return value;
    if (value.is_text()) value.text = enumerator(value.text);
    for (Value& item : value.items) item.text = enumerator(item.text);
    return value;
  }
  /// A number as the schema has it: in 2023 a float.
  Value number(const Node& node, std::string_view name, const MLNumber& v) {
    if (!is_2023()) return number_union(v);
    const double d = v.as_double();
    constexpr double exact_integers = 0x1p24;
    if (!types::floats.contains(node.input(0).dataType()) && std::isfinite(d) &&
        std::abs(d) > exact_integers)
      refuse(node,
             fail("{} ({}) does not fit a float, which is what the schema of 2023 has", name, v));
    return formats::to_value(static_cast<float>(d));
  }
  void bound(Value& fields, const Node& node, const OperatorRow& row, const std::string& name) {
    const auto& v = *static_cast<const std::optional<MLNumber>*>(row.get(node.op()));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const MLNumber none = row.name == "minValue" ? -infinity : infinity;
    fields.set(name, number(node, row.name, v ? *v : none));
  }
  void ranges(Value& fields, const Node& node, const OperatorRows& rows) {
    const Dims& starts = *value_as<Dims>(rows, node.op(), "starts");
    const Dims& sizes = *value_as<Dims>(rows, node.op(), "sizes");
    const auto& strides = *value_as<OptionalList<std::uint32_t>>(rows, node.op(), "strides");
    Value list = Value::list();
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::uint32_t stride = strides ? (*strides)[i] : 1;
      Value range = Value::object();
      range.set("start", formats::to_value(starts[i])).set("size", formats::to_value(sizes[i]));
      if (!is_2023()) range.set("stride", formats::to_value(stride));
      else if (stride != 1)
        return refuse(node,
                      fail("strides[{}] is {}; the schema of 2023 has no strides", i, stride));
      list.items.push_back(std::move(range));
    }
    fields.set(is_2023() ? "starts_and_sizes" : "ranges", std::move(list));
  }
  void padding_mode(Value& fields, const Node& node, const OperatorRows& rows) {
    const MLPaddingMode mode = *value_as<MLPaddingMode>(rows, node.op(), "mode");
    Value contents = Value::object(), u = Value::object();
    if (mode == MLPaddingMode::constant)
      contents.set("value", number(node, "value", *value_as<MLNumber>(rows, node.op(), "value")));
    u.set(std::string(name_of(mode)), std::move(contents));
    fields.set("mode", std::move(u));
  }

  // The file

  Files files(Value inputs, Value outputs) {
    Value root = Value::object();
    root.set("schema", Value::string(is_2023() ? "2023" : "2026"));
    root.set("input_operand_layout", Value::string(enumerator(name_of(layout_))));
    Value operands = is_2023() ? Value::object() : Value::list();
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (is_2023()) operands.set(std::to_string(i + 1), std::move(operands_[i]));
      else operands.items.push_back(std::move(operands_[i]));
    root.set(is_2023() ? "id_to_operand_map" : "operands", std::move(operands));
    root.set("input_operands", std::move(inputs)).set("output_operands", std::move(outputs));
    root.set("operations", std::move(operations_));
    root.set(is_2023() ? "constant_id_to_buffer_map" : "constant_operand_ids_to_handles",
             std::move(constants_));
    auto json = formats::write_json(root);
    if (!json) raise(json.failure(), "graphinfo export");
    Files files{std::move(*json), {}};
    if (!tensors_.empty()) files.weights = safetensors::write(tensors_);
    return files;
  }

  const Graph& graph_;
  const Schema schema_;
  const bool with_weights_;
  MLInputOperandLayout layout_ = nchw;
  std::vector<std::uint32_t> ids_;  // by operand of the graph: its index among those of the file
  std::vector<Value> operands_{};
  Value operations_ = Value::list(), constants_ = Value::object();
  std::vector<safetensors::NamedValues> tensors_{};
  std::vector<std::string> refusals_{};
};

/// The schema of 2023 has sizes alone.
Graph exported(const MLGraph& graph, const ExportOptions& options) {
  return options.schema == Schema::v2023 ? formats::static_graph(graph, "graphinfo export")
                                         : graph.graph();
}

}  // namespace

std::string export_model(const MLGraph& graph, const ExportOptions& options) {
  return Exporter(exported(graph, options), options.schema, false).run().json;
}

Files export_files(const MLGraph& graph, const ExportOptions& options) {
  return Exporter(exported(graph, options), options.schema, true).run();
}

}  // namespace webnn::inline v0_1::graphinfo

namespace webnn::inline v0_1::detail {

void export_graphinfo(const MLGraph& graph, const Path& path,
                      const graphinfo::ExportOptions& options) {
  const graphinfo::Files files = graphinfo::export_files(graph, options);
  std::vector<formats::NewFile> all{formats::file_of(path, std::as_bytes(std::span(files.json)))};
  if (!files.weights.empty())
    all.push_back(formats::file_of(std::filesystem::path(path).replace_extension(".safetensors"),
                                   files.weights));
  if (auto bad = formats::write_files(all))
    raise(bad->failure, "graphinfo export", bad->path.string());
}

}  // namespace webnn::inline v0_1::detail
