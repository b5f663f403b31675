// import_model(): operands first, then the operations in their order.
#include <charconv>
#include <cmath>
#include <filesystem>

#include "src/builder/savepoint.h"
#include "src/builder/validate.h"
#include "src/formats/common/base64.h"
#include "src/formats/common/budget.h"
#include "src/formats/common/json.h"
#include "src/formats/common/model_file.h"
#include "src/formats/common/model_inputs.h"
#include "src/formats/graphinfo/operation.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"
#include "src/kernels/common/sizes.h"
#include "webnn/graphinfo.h"

namespace webnn::inline v0_1::graphinfo {
namespace {

using formats::Value;

constexpr std::uint64_t max_file_bytes = std::uint64_t{1} << 26;
constexpr std::size_t max_operations = 1 << 18;

class Importer {
 public:
  Importer(const MLGraphBuilder& builder, const ImportOptions& options, std::string label,
           std::shared_ptr<const formats::ModelFolder> folder)
      : builder_(builder),
        options_(options),
        label_(std::move(label)),
        folder_(std::move(folder)) {}

  Model run(std::string_view text) {
    if (text.size() > max_file_bytes)
      refuse(fail("the text has {} bytes, but may have at most {}", text.size(), max_file_bytes));
    budget_ = {options_.max_bytes, text.size()};
    auto json = formats::read_json(text, {.max_bytes = budget_.limit()});
    if (!json) refuse(json.failure());
    root_ = std::move(*json);
    read_schema();
    read_operands();
    add_inputs();
    add_constants();
    add_operations();
    add_outputs();
    return std::move(model_);
  }

 private:
  [[noreturn]] void refuse(const Failure& f) const {
    raise({f.message, ErrorName::DataError}, "graphinfo", label_);
  }
  [[noreturn]] void wrong_option(const Failure& f) const {
    raise({f.message, ErrorName::TypeError}, "graphinfo", label_);
  }
  const Value& member(const Value& object, std::string_view key, Value::Kind kind,
                      std::string_view where) const {
    const Value* v = object.find(key);
    if (!v) refuse(fail("{}: there is no {}", where, key));
    if (v->kind != kind) refuse(fail("{}: {}: {} is of the wrong kind", where, key, shown(*v)));
    return *v;
  }
  template <class T> T read(const Value& v, std::string_view where) const {
    T value{};
    if (const auto bad = from_value(v, value)) refuse(fail("{}: {}", where, bad->message));
    return value;
  }

  void read_schema() {
    const std::string schema =
        read<std::string>(member(root_, "schema", Value::Kind::string, "the file"), "schema");
    if (schema != "2023" && schema != "2026")
      refuse(fail("schema: {} is not one of 2023, 2026", in_quotes(schema)));
    model_.schema = schema == "2023" ? Schema::v2023 : Schema::v2026;
    if (const Value* layout = root_.find("input_operand_layout")) {
      const auto bad = read_enumerator(*layout, enum_names<MLInputOperandLayout>);
      if (!bad) refuse(fail("input_operand_layout: {}", bad.failure().message));
      layout_ = static_cast<MLInputOperandLayout>(*bad);
    }
  }
  bool is_2023() const { return model_.schema == Schema::v2023; }

  // Operands

  void read_operands() {
    if (!is_2023()) {
      for (const Value& v : member(root_, "operands", Value::Kind::list, "the file").items)
        read_operand(v);
      return;
    }
    const Value& map = member(root_, "id_to_operand_map", Value::Kind::object, "the file");
    operands_.resize(map.items.size() / 2);
    for (std::size_t i = 0; i < map.items.size(); i += 2) {
      const std::uint64_t id = key_id(map.items[i].text, "id_to_operand_map");
      OperandInfo& info = operands_[id];
      info = operand_info(map.items[i + 1], "id_to_operand_map[" + map.items[i].text + ']');
    }
  }
  void read_operand(const Value& v) {
    operands_.push_back(operand_info(v, "operands[" + std::to_string(operands_.size()) + ']'));
  }
  OperandInfo operand_info(const Value& v, const std::string& where) const {
    OperandInfo info;
    const std::string kind =
        read<std::string>(member(v, "kind", Value::Kind::string, where), where);
    if (kind != "kInput" && kind != "kConstant" && kind != "kOutput")
      refuse(fail("{}: kind {} is not one of kInput, kConstant, kOutput", where, in_quotes(kind)));
    info.kind = kind == "kInput"      ? OperandKind::input
                : kind == "kConstant" ? OperandKind::constant
                                      : OperandKind::result;
    const Value& descriptor = member(v, "descriptor", Value::Kind::object, where);
    const auto type = read_enumerator(member(descriptor, "data_type", Value::Kind::string, where),
                                      enum_names<MLOperandDataType>);
    if (!type) refuse(fail("{}: data_type: {}", where, type.failure().message));
    info.type.dataType = static_cast<MLOperandDataType>(*type);
    if (!types_in(model_.schema).contains(info.type.dataType))
      refuse(fail("{}: the schema of {} has no {}", where, is_2023() ? "2023" : "2026",
                  info.type.dataType));
    read_type_shape(descriptor, info, where);
    if (const Value* order = descriptor.find("pending_permutation"))
      if (order->kind != Value::Kind::list || !order->items.empty())
        refuse(fail("{}: pending_permutation is not empty, which is not supported", where));
    if (const Value* name = v.find("name"); name && name->kind != Value::Kind::null)
      info.name = read<std::string>(*name, where + ": name");
    return info;
  }
  void read_type_shape(const Value& descriptor, OperandInfo& info, const std::string& where) const {
    const Value* shape = descriptor.find("shape");
    if (!shape) refuse(fail("{}: there is no shape", where));
    OperandType& type = info.type;
    if (auto bad = read_shape(*shape, type)) refuse(fail("{}: shape: {}", where, bad->message));
    if (type.is_open() && is_2023())
      refuse(fail("{}: shape: the schema of 2023 has no open dimensions", where));
    if (type.is_open() && info.kind == OperandKind::constant)
      refuse(fail("{}: shape: a constant has no open dimensions", where));
    if (!type.ranked && info.kind == OperandKind::input)
      refuse(fail("{}: shape: an input has a shape", where));
    ops::Sizes least;
    for (const MLDimension& d : type.shape)
      least.push_back(d.is_open() ? std::max(d.dynamic().minSize, 1u) : d.size());
    if (auto bad = check_dimensions("the operand", type.dataType, least))
      refuse(fail("{}: {}", where, bad->message));
  }

  /// An id that is a key: its index.
  std::size_t key_id(std::string_view key, std::string_view where) const {
    std::uint64_t id = 0;
    const char* end = key.data() + key.size();
    const auto [after, error] = std::from_chars(key.data(), end, id);
    const std::uint64_t first = is_2023() ? 1 : 0;
    const bool padded = key.size() > 1 && key.front() == '0';  // would be another key for its id
    if (error != std::errc() || after != end || padded || id < first ||
        id - first >= operands_.size())
      refuse(fail("{}: {} is not an id from {} to {}", where, in_quotes(key), first,
                  operands_.size() + first - 1));
    return to_size(id - first);
  }
  std::size_t id_of(const Value& v, std::string_view where) const {
    const auto id = read_id(v, operands_.size(), is_2023());
    if (!id) refuse(fail("{}: {}", where, id.failure().message));
    return *id;
  }

  void add_inputs() {
    for (const Value& v : member(root_, "input_operands", Value::Kind::list, "the file").items) {
      const std::string where = "input_operands[" + std::to_string(model_.inputs.size()) + ']';
      OperandInfo& info = operands_[id_of(v, where)];
      if (info.kind != OperandKind::input || info.value)
        refuse(fail("{}: the operand is not an input, or is in the list twice", where));
      const auto x = formats::input_of(builder_, info.name, {info.type.dataType, info.type.shape},
                                       options_.inputs);
      if (!x && x.failure().name == ErrorName::TypeError) wrong_option(x.failure());
      if (!x) refuse(fail("{}: {}", where, x.failure().message));
      info.value = *x;
      model_.inputs.push_back({info.name, *x});
    }
    for (const auto& [name, x] : options_.inputs)
      if (!formats::find_operand(model_.inputs, name))
        wrong_option(formats::no_input(name, model_.inputs));
  }

  // Constants

  void add_constants() {
    for (const char* map : {"constant_id_to_buffer_map", "constant_operand_ids_to_handles",
                            "id_to_constant_tensor_operand_map"}) {
      const Value* all = root_.find(map);
      if (!all) continue;
      if (all->kind != Value::Kind::object) refuse(fail("{}: it is not an object", map));
      for (std::size_t i = 0; i < all->items.size(); i += 2) {
        const std::string where = std::string(map) + '[' + all->items[i].text + ']';
        OperandInfo& info = operands_[key_id(all->items[i].text, map)];
        if (info.kind != OperandKind::constant || info.value)
          refuse(fail("{}: the operand is not a constant, or has two values", where));
        const MLOperandDescriptor d{info.type.dataType, info.type.sizes()};
        const Constant bytes = constant(all->items[i + 1], d, where);
        info.value = builder_.constant(d, bytes);
      }
    }
  }
  Constant constant(const Value& v, const MLOperandDescriptor& d, const std::string& where) {
    const Value *text = v.find("base64"), *tensor = v.find("tensor");
    if (!text == !tensor) refuse(fail("{}: it does not have exactly one of base64, tensor", where));
    if (tensor) return from_file(read<std::string>(*tensor, where), d, where);
    auto bytes = formats::from_base64(read<std::string>(*text, where));
    if (!bytes) refuse(fail("{}: this is not base64", where));
    if (bytes->size() != byte_length(d))
      refuse(fail("{}: there are {} bytes, but shape {} of {} needs {}", where, bytes->size(),
                  d.shape, d.dataType, byte_length(d)));
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(*bytes));
    const std::span<const std::byte> view(*owner);
    return Constant::transferred(std::move(owner), view);
  }
  Constant from_file(const std::string& name, const MLOperandDescriptor& d,
                     const std::string& where) {
    const safetensors::File& file = weights(where);
    if (!file.contains(name)) refuse(fail("{}: there is no tensor {}", where, in_quotes(name)));
    MLOperandDescriptor stored = d;
    if (bits_of(d.dataType) == 4) stored = {uint8, {static_cast<std::uint32_t>(byte_length(d))}};
    const MLOperandDescriptor found = file.descriptor(name);
    if (found != stored)
      refuse(fail("{}: tensor {} is {} {}, not {} {}", where, in_quotes(name), found.dataType,
                  found.shape, stored.dataType, stored.shape));
    const std::size_t element = to_size(bits_of(stored.dataType)) / 8;
    if (reinterpret_cast<std::uintptr_t>(file.bytes(name).data()) % element != 0)
      if (auto bad = budget_.spend(byte_length(stored), "a constant that is not aligned"))
        refuse(*bad);
    return file.constant(name);
  }
  const safetensors::File& weights(const std::string& where) {
    if (weights_) return *weights_;
    if (options_.weights) return opened(*options_.weights);
    if (!options_.weights_path.empty())
      return opened(safetensors::File::open(options_.weights_path));
    if (!folder_) refuse(fail("{}: constants are needed, and no file with them is given", where));
    const auto path = std::filesystem::path(label_).replace_extension(".safetensors");
    auto file = formats::map_beside(*folder_, path.filename().string());
    if (!file) raise(file.failure(), "safetensors", path.string());
    return opened(
        safetensors::File::from_bytes(std::move(file->owner), file->bytes, path.string()));
  }
  const safetensors::File& opened(const safetensors::File& file) {
    for (const safetensors::TensorInfo& t : file.tensors()) budget_.bytes_beside += t.end - t.begin;
    return weights_.emplace(file);
  }

  void add_operations() {
    const auto& all = member(root_, "operations", Value::Kind::list, "the file").items;
    if (all.size() > max_operations)
      refuse(
          fail("there are {} operations, but there may be at most {}", all.size(), max_operations));
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string index = "operations[" + std::to_string(i) + ']';
      if (all[i].kind != Value::Kind::object || all[i].items.size() != 2)
        refuse(fail("{}: it is not an object with one operation", index));
      const std::string where = index + " (" + escaped(truncated(all[i].items[0].text, 40)) + ')';
      OperationReader reader(builder_, operands_, model_.schema, layout_);
      if (auto bad = reader.add(all[i].items[0].text, all[i].items[1]))
        refuse(fail("{}: {}", where, bad->message));
      if (!options_.outputs.empty()) remember_label(all[i].items[1], where);
    }
  }
  /// The first result of an operation, by its label.
  void remember_label(const Value& fields, std::string_view where) {
    const Value* label = fields.find("label");
    const Value *id = fields.find("output_operand_id"), *ids = fields.find("output_operand_ids");
    if (!id && ids && !ids->items.empty()) id = &ids->items.front();
    if (label && label->kind == Value::Kind::string && id)
      labeled_.emplace(label->text, id_of(*id, where));
  }

  void add_chosen_outputs() {
    for (const std::string& name : options_.outputs) {
      const auto named = std::find_if(operands_.begin(), operands_.end(), [&](const auto& info) {
        return info.value && info.name == name;
      });
      const auto labeled = labeled_.find(name);
      if (named == operands_.end() && labeled == labeled_.end())
        wrong_option(fail("there is no operand and no operation {}", in_quotes(name)));
      if (!names_.insert(name).second)
        wrong_option(fail("there are two outputs {}", in_quotes(name)));
      add_output(name, named != operands_.end() ? *named : operands_[labeled->second], "outputs");
    }
  }
  void add_output(const std::string& name, const OperandInfo& info, std::string_view where) {
    try {
      model_.outputs.push_back({name, formats::output_of(builder_, name, info.value)});
    } catch (const TypeError& e) {  // a type that identity does not have
      refuse(fail("{}: {}", where, e.reason()));
    }
  }

  void add_outputs() {
    if (!options_.outputs.empty()) return add_chosen_outputs();
    for (const Value& v : member(root_, "output_operands", Value::Kind::list, "the file").items) {
      const std::string where = "output_operands[" + std::to_string(model_.outputs.size()) + ']';
      const OperandInfo& info = operands_[id_of(v, where)];
      if (!info.value) refuse(fail("{}: no operation has this result", where));
      if (info.name.empty()) refuse(fail("{}: the operand has no name", where));
      if (!names_.insert(info.name).second)
        refuse(fail("{}: output {} is given twice", where, in_quotes(info.name)));
      add_output(info.name, info, where);
    }
    if (model_.outputs.empty()) refuse(fail("the graph has no outputs"));
  }

  MLGraphBuilder builder_;
  const ImportOptions& options_;
  const std::string label_;                                   // the path of a file
  const std::shared_ptr<const formats::ModelFolder> folder_;  // null for a text that is not a file
  Value root_{};
  Model model_{};
  MLInputOperandLayout layout_ = MLInputOperandLayout::nchw;
  std::vector<OperandInfo> operands_{};
  std::optional<safetensors::File> weights_{};
  std::unordered_set<std::string> names_{};
  std::map<std::string, std::size_t> labeled_{};  // when outputs are chosen: operands
  formats::Budget budget_{std::nullopt, 0};
};

Model import_text(MLGraphBuilder& builder, std::string_view text,
                  std::shared_ptr<const formats::ModelFolder> folder, const ImportOptions& options,
                  std::string_view label) {
  Savepoint savepoint(*detail::state_of(builder));
  try {
    Model model = Importer(builder, options, std::string(label), std::move(folder)).run(text);
    savepoint.keep();
    return model;
  } catch (const std::bad_alloc&) {
    raise({"out of memory", ErrorName::OperationError}, "graphinfo", label);
  }
}

}  // namespace

const MLOperand& Model::input(std::string_view name) const {
  return formats::operand_named(inputs, name, "input", "graphinfo");
}
const MLOperand& Model::output(std::string_view name) const {
  return formats::operand_named(outputs, name, "output", "graphinfo");
}

Model import_model(MLGraphBuilder& builder, const Path& path, const ImportOptions& options) {
  auto file = formats::map_model(path);
  if (!file) raise(file.failure(), "graphinfo", path);
  const auto bytes = file->contents.bytes;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return import_text(builder, text, file->folder, options, path);
}

Model import_model(MLGraphBuilder& builder, std::string_view json, const ImportOptions& options,
                   std::string_view label) {
  return import_text(builder, json, {}, options, label);
}

}  // namespace webnn::inline v0_1::graphinfo
