#include <algorithm>
#include <map>

#include "src/formats/common/failures.h"
#include "src/formats/common/model_inputs.h"
#include "src/formats/common/open_dimensions.h"
#include "src/formats/common/unknown_values.h"
#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
schema::BuiltinOperator code_of(const File& file, const schema::Operator& op) {
  const schema::OperatorCode& code = *file.model->operator_codes()->Get(op.opcode_index());
  return std::max(code.builtin_code(),
                  static_cast<schema::BuiltinOperator>(code.deprecated_builtin_code()));
}

std::string_view code_name(schema::BuiltinOperator code) {
  const char* name = schema::EnumNameBuiltinOperator(code);
  return *name ? name : "an operator that is not of schema v2.15";
}

std::string name_of_operator(const File& file, const schema::Operator& op, std::size_t index) {
  const auto code = code_of(file, op);
  std::string name(code_name(code));
  if (code == schema::BuiltinOperator::CUSTOM) {
    const auto* custom = file.model->operator_codes()->Get(op.opcode_index())->custom_code();
    name += ' ' + in_quotes(text_of(custom));
  }
  return format("operator {} ({})", {index, name});
}

Scope::Scope(Import& import, std::size_t subgraph, int depth, bool initializes)
    : import_(import),
      table_(import.file.model->subgraphs()->Get(static_cast<fb::uoffset_t>(subgraph))),
      depth_(depth),
      initializes_(initializes),
      tensors_(size_of(table_->tensors())),
      values_(tensors_.size()),
      producers_(tensors_.size(), -1) {
  if (auto bad = import.budget.count(tensors_.size() + size_of(table_->operators())))
    refuse(import.file, *bad);
  check_indices(elements_of(table_->inputs()), "the list of inputs");
  check_indices(elements_of(table_->outputs()), "the list of outputs");
  find_producers();
}

void Scope::check_indices(std::span<const std::int32_t> list, std::string_view what) {
  if (auto bad = import_.budget.count(list.size())) refuse(import_.file, *bad);
  for (std::int32_t i : list)
    if (i < 0 || static_cast<std::size_t>(i) >= tensors_.size())
      refuse(import_.file,
             fail("{} has {}, but the subgraph has {} tensors", what, i, tensors_.size()));
}

void Scope::find_producers() {
  const File& file = import_.file;
  const auto* operators = table_->operators();
  for (std::uint32_t i = 0; i < size_of(operators); ++i) {
    const schema::Operator& op = *operators->Get(i);
    if (op.opcode_index() >= size_of(file.model->operator_codes()))
      refuse(file, fail("operator {}: its code ({}) is not less than the number of codes ({})", i,
                        op.opcode_index(), size_of(file.model->operator_codes())));
    const auto inputs = elements_of(op.inputs()), outputs = elements_of(op.outputs());
    if (auto bad = import_.budget.count(inputs.size() + outputs.size())) refuse(file, *bad);
    const auto check = [&](std::int32_t t, std::string_view what, std::int32_t min) {
      if (t < min || t >= static_cast<std::int64_t>(tensors_.size()))
        refuse(file, fail("{}: its {} is tensor {}, but the subgraph has {}",
                          name_of_operator(file, op, i), what, t, tensors_.size()));
    };
    for (std::int32_t t : inputs) check(t, "input", -1);
    for (std::int32_t t : outputs) {
      check(t, "output", 0);
      std::int32_t& producer = producers_[static_cast<std::size_t>(t)];
      if (producer >= 0)
        refuse(file, fail("{}: its output, tensor {}, is written by operator {} too",
                          name_of_operator(file, op, i), t, producer));
      producer = static_cast<std::int32_t>(i);
    }
  }
  for (std::int32_t t : elements_of(table_->inputs()))
    if (const auto p = producers_[static_cast<std::size_t>(t)]; p >= 0)
      refuse(file,
             fail("{}: its output, tensor {}, is an input of the subgraph",
                  name_of_operator(file, *operators->Get(static_cast<std::uint32_t>(p)), p), t));
}

const TensorInfo& Scope::tensor(std::int32_t index) {
  auto& t = tensors_[static_cast<std::size_t>(index)];
  if (t) return *t;
  const schema::Tensor& table = *table_->tensors()->Get(static_cast<fb::uoffset_t>(index));
  auto read = read_tensor(import_.file, table, static_cast<std::uint32_t>(index));
  auto bad = read ? std::nullopt : std::optional(read.failure());
  if (!bad && read->scales)
    bad = import_.budget.count(read->scales->scale.size() + read->scales->zero_point.size());
  if (!bad && read->constant() && producers_[static_cast<std::size_t>(index)] >= 0)
    bad = fail("it has values, but operator {} writes it",
               producers_[static_cast<std::size_t>(index)]);
  if (!bad) return t.emplace(std::move(*read));
  const Failure f =
      fail("tensor {} ({}): {}", index, in_quotes(text_of(table.name())), bad->message);
  if (bad->name == ErrorName::NotSupportedError) unsupported(import_.file, f);
  refuse(import_.file, f);
}

MLOperand Scope::constant(const TensorInfo& t) {
  const auto stop = [&](const Failure& f) {
    const Failure named{t.text() + ": " + f.message, f.name};
    if (f.name == ErrorName::NotSupportedError) unsupported(import_.file, named);
    refuse(import_.file, named);
  };
  const auto descriptor = descriptor_of(t);
  if (!descriptor) stop(descriptor.failure());
  auto bytes = constant_of(import_, t);
  if (!bytes) stop(bytes.failure());
  return import_.builder.constant(*descriptor, std::move(*bytes));
}

MLOperand Scope::value(std::int32_t index) {
  MLOperand& x = values_[static_cast<std::size_t>(index)];
  if (x) return x;
  const TensorInfo& t = tensor(index);
  if (t.constant()) return x = constant(t);
  const std::int32_t producer = producers_[static_cast<std::size_t>(index)];
  if (producer >= 0)
    refuse(import_.file, fail("{} is read before operator {} writes it", t.text(), producer));
  if (t.variable)
    unsupported(import_.file,
                fail("{} is a variable, whose value lasts from one run to the next", t.text()));
  refuse(import_.file,
         fail("{} has no value: it is not an input or a constant, and no operator writes it",
              t.text()));
}

std::optional<std::size_t> Scope::resource(std::int32_t index) const {
  const auto found = resources_.find(index);
  return found == resources_.end() ? std::nullopt : std::optional(found->second);
}

/// Those operators, and those that set variables.
std::vector<bool> Scope::needed_for(const std::vector<std::int32_t>& outputs) const {
  using Code = schema::BuiltinOperator;
  std::vector<bool> needed(size_of(table_->operators()));
  std::vector<std::int32_t> tensors = outputs;
  for (std::uint32_t i = 0; i < needed.size(); ++i) {
    const schema::Operator& op = *table_->operators()->Get(i);
    const Code code = code_of(import_.file, op);
    if (code != Code::ASSIGN_VARIABLE && code != Code::CALL_ONCE) continue;
    needed[i] = true;
    const auto inputs = elements_of(op.inputs());
    tensors.insert(tensors.end(), inputs.begin(), inputs.end());
  }
  while (!tensors.empty()) {
    const std::int32_t t = tensors.back();
    tensors.pop_back();
    if (t < 0 || values_[static_cast<std::size_t>(t)]) continue;
    const std::int32_t producer = producers_[static_cast<std::size_t>(t)];
    if (producer < 0 || needed[static_cast<std::size_t>(producer)]) continue;
    needed[static_cast<std::size_t>(producer)] = true;
    const auto inputs =
        elements_of(table_->operators()->Get(static_cast<fb::uoffset_t>(producer))->inputs());
    tensors.insert(tensors.end(), inputs.begin(), inputs.end());
  }
  return needed;
}

/// Names all operators at once that have no handler.
void Scope::check_supported(const std::vector<bool>& needed) {
  const File& file = import_.file;
  std::optional<std::string> first;
  std::map<std::string, std::size_t> others;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < needed.size(); ++i) {
    const schema::Operator& op = *table_->operators()->Get(i);
    if (!needed[i] || handler_of(file, op) || custom_operator_of(import_, op)) continue;
    const std::string name = name_of_operator(file, op, i);
    if (!first) {
      first = name;
    } else {
      ++count;
      if (others.size() < 100) ++others[name.substr(name.find('(') + 1)];
    }
  }
  if (!first) return;
  std::string message = *first + " has no WebNN counterpart";
  if (count > 0) message += format("; {} more: ", {count});
  bool comma = false;
  for (const auto& [name, times] : others) {
    message += (comma ? ", " : "") + name.substr(0, name.size() - 1) + format(" ({})", {times});
    comma = true;
  }
  unsupported(file, {message});
}

/// The handler read a size that is open.
void Scope::needs_size(const schema::Operator& op, const std::string& name) {
  const File& file = import_.file;
  for (const std::int32_t i : elements_of(op.inputs())) {
    if (i < 0 || !has_value(i) || !value(i).is_open()) continue;
    const MLOperand x = value(i);
    unsupported(file,
                fail("{}: a size has to be known, but its input, {}, has shape {}, which follows "
                     "from {}: {}",
                     name, tensor(i).text(), formats::shape_text(x.dimensions()),
                     formats::open_dimensions(x), formats::give_a_size));
  }
  unsupported(file, fail("{}: a size has to be known: {}", name, formats::give_a_size));
}

void Scope::import_operator(std::uint32_t i) {
  const File& file = import_.file;
  const schema::Operator& op = *table_->operators()->Get(i);
  try {
    Call call(*this, op);
    if (auto own = custom_operator_of(import_, op)) return import_custom(call, op, std::move(own));
    const Handler& handler = *handler_of(file, op);
    const auto check = [&](std::string_view what, std::size_t n, std::uint32_t min,
                           std::uint32_t max) {
      if (n < min) call.refuse(fail("it has {} {}s, fewer than {}", n, what, min));
      if (n > max) call.refuse(fail("it has {} {}s, more than {}", n, what, max));
    };
    check("input", call.inputs(), handler.min_inputs, handler.max_inputs);
    check("output", call.outputs(), handler.min_outputs, handler.max_outputs);
    handler.import(call);
  } catch (const InvalidStateError& e) {
    if (import_.partial) needs_size(op, name_of_operator(file, op, i));
    formats::rethrow(e, name_of_operator(file, op, i), "tflite", file.label);
  } catch (const formats::UnknownValues& e) {
    throw formats::UnknownValues("tflite", file.label,
                                 name_of_operator(file, op, i) + ": " + e.reason(), e.inputs);
  } catch (const Error& e) {
    formats::rethrow(e, name_of_operator(file, op, i), "tflite", file.label);
  }
}

void Scope::import_operators(const std::vector<std::int32_t>& outputs) {
  const std::vector<bool> needed = needed_for(outputs);
  if (depth_ == 0 && import_.log) return try_operators(needed, *import_.log);
  check_supported(needed);
  for (std::uint32_t i = 0; i < needed.size(); ++i)
    if (needed[i]) import_operator(i);
}

void Scope::try_operators(const std::vector<bool>& needed, formats::ImportLog& log) {
  for (std::uint32_t i = 0; i < needed.size(); ++i) {
    const schema::Operator& op = *table_->operators()->Get(i);
    if (!needed[i]) continue;
    if (!handler_of(import_.file, op) && !custom_operator_of(import_, op)) continue;
    const bool available = std::ranges::all_of(elements_of(op.inputs()), [&](std::int32_t t) {
      return t < 0 || has_value(t) || resource(t) || producers_[static_cast<std::size_t>(t)] < 0;
    });
    if (!available) continue;  // something before it is refused
    try {
      import_operator(i);
    } catch (const Error& e) {
      log.refusals.emplace(i, e.reason());
      continue;
    }
    for (const std::int32_t t : elements_of(op.outputs()))
      if (has_value(t))
        log.types[std::to_string(t)].shape =
            formats::view_shape(values_[static_cast<std::size_t>(t)]);
  }
}

const Handler* handler_of(const File& file, const schema::Operator& op) {
  const schema::BuiltinOperator code = code_of(file, op);
  const auto* custom = file.model->operator_codes()->Get(op.opcode_index())->custom_code();
  const std::string_view name =
      code == schema::BuiltinOperator::CUSTOM ? text_of(custom) : std::string_view();
  for (const auto family : {conv2d_handlers(),         matmul_handlers(),
                            pool2d_handlers(),         binary_handlers(),
                            unary_handlers(),          activation_handlers(),
                            softmax_handlers(),        logical_handlers(),
                            reduce_handlers(),         normalization_handlers(),
                            quantization_handlers(),   cast_handlers(),
                            shape_handlers(),          concat_handlers(),
                            slice_handlers(),          pad_handlers(),
                            gather_handlers(),         scatter_handlers(),
                            space_to_depth_handlers(), resample2d_handlers(),
                            generator_handlers(),      recurrent_handlers(),
                            subgraph_call_handlers(),  variable_handlers(),
                            detection_handlers(),      landmark_handlers()})
    for (const Handler& h : family)
      if (h.code == code && h.custom == name) return &h;
  return nullptr;
}

}  // namespace webnn::inline v0_1::tflite
