// A method: the delegates that it calls, joined by the values of its plan.
#include "src/formats/executorch/import/plan.h"

#include <algorithm>
#include <map>

#include "src/formats/common/failures.h"
#include "src/formats/executorch/import/kernels.h"
#include "src/graph/failure.h"
#include "src/graph/text.h"

namespace webnn::inline v0_1::executorch {
namespace {

class Plan {
 public:
  Plan(Import& import, const Program& program, const pte::ExecutionPlan& table)
      : import_(import),
        program_(program),
        table_(table),
        values_(size_of(table.values())),
        ports_(import) {}

  Model run() {
    check_supported();
    Model model;
    model.description = "ExecuTorch program, method " + in_quotes(text_of(table_.name()));
    inputs(model);
    for (fb::uoffset_t i = 0; i < size_of(table_.chains()); ++i) {
      const auto* instructions = table_.chains()->Get(i)->instructions();
      for (fb::uoffset_t k = 0; k < size_of(instructions); ++k) step(*instructions->Get(k));
    }
    outputs(model);
    return model;
  }

 private:
  struct Unsupported {
    std::map<std::string, std::uint64_t> operators{}, backends{};
    std::uint64_t jumps = 0;
  };

  [[noreturn]] void refuse(const Failure& f) const { executorch::refuse(import_.source, f); }

  /// Names everything at once that lies outside of XNNPACK delegates.
  void check_supported();
  void add_unsupported(const pte::Instruction& instruction, Unsupported& found);
  const pte::Tensor* tensor(std::int32_t value, std::string_view what) const;
  TensorInfo info(std::int32_t value, const pte::Tensor& t) const {
    return read_tensor_info(import_, t, name_of_value(value));
  }
  MLOperand constant(std::int32_t value, const pte::Tensor& t);
  MLOperand value(std::int32_t value);
  /// Sets a value that an input, a delegate or an operator writes.
  void write(std::int32_t value, MLOperand x);
  /// The operand in the memory of a value that nothing writes.
  MLOperand in_memory_of(std::int32_t value, const pte::Tensor& t);
  void inputs(Model& model);
  void outputs(Model& model);
  /// A tensor of the method, by the name that the file has for it.
  std::optional<std::uint32_t> value_named(const std::string& name) const;
  void step(const pte::Instruction& instruction);
  void call(const pte::DelegateCall& c);
  void call(const pte::KernelCall& c);
  MLOperand transposed(const MLOperand& x, const Dims& order) const;
  MLOperand in_memory_order(const std::string& name, MLOperand y, const TensorInfo& to) const;
  MLOperand argument(const Delegate& delegate, const ValueInfo& v, std::int32_t index);
  void set_result(Delegate& delegate, const ValueInfo& v, std::int32_t index);
  std::int32_t argument_index(const pte::DelegateCall& c, const Delegate& d,
                              const ValueInfo& v) const;
  std::string name_of_value(std::int32_t index) const;

  Import& import_;
  const Program& program_;
  const pte::ExecutionPlan& table_;
  std::vector<MLOperand> values_;
  /// The last value that was written at a place: memory and offset.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::int32_t> last_written_{};
  std::map<std::int32_t, std::optional<Quantization>> quantization_{};
  std::map<std::int32_t, std::vector<std::size_t>> input_of_{};  // by value
  Model* model_ = nullptr;
  Ports ports_;
};

std::string list_of(const std::map<std::string, std::uint64_t>& all) {
  std::string list;
  std::size_t named = 0;
  for (const auto& [name, times] : all) {
    if (++named > 100) return list + format(" and {} others", {all.size() - 100});
    list += (list.empty() ? "" : ", ") + escaped(name) + format(" ({})", {times});
  }
  return list;
}

void Plan::add_unsupported(const pte::Instruction& instruction, Unsupported& found) {
  using enum pte::InstructionArguments;
  if (instruction.instr_args_type() != NONE && !instruction.instr_args())
    refuse(fail("an instruction has no arguments"));
  switch (instruction.instr_args_type()) {
    case KernelCall: {
      auto name = name_of_operator(table_, *instruction.instr_args_as_KernelCall());
      if (!name) refuse(name.failure());
      if (!kernel_of(*name)) ++found.operators[*name];
      break;
    }
    case DelegateCall: {
      const auto& c = *instruction.instr_args_as_DelegateCall();
      if (c.delegate_index() < 0 ||
          static_cast<std::size_t>(c.delegate_index()) >= size_of(table_.delegates()))
        refuse(fail("an instruction calls delegate {}, but there are {}", c.delegate_index(),
                    size_of(table_.delegates())));
      const auto id =
          text_of(table_.delegates()->Get(static_cast<fb::uoffset_t>(c.delegate_index()))->id());
      if (id != xnnpack_backend) ++found.backends[std::string(truncated(id, 80))];
      break;
    }
    case JumpFalseCall: ++found.jumps; break;
    case MoveCall:
    case FreeCall: break;
    default:
      refuse(fail("an instruction of kind {}", static_cast<int>(instruction.instr_args_type())));
  }
}

void Plan::check_supported() {
  Unsupported found;
  for (fb::uoffset_t i = 0; i < size_of(table_.chains()); ++i) {
    const auto* instructions = table_.chains()->Get(i)->instructions();
    if (auto bad = import_.budget.count(size_of(instructions))) refuse(*bad);
    for (fb::uoffset_t k = 0; k < size_of(instructions); ++k)
      add_unsupported(*instructions->Get(k), found);
  }
  std::string text;
  const auto add = [&](const std::string& s) { text += (text.empty() ? "" : "; ") + s; };
  if (!found.operators.empty())
    add("operators outside of XNNPACK delegates: " + list_of(found.operators));
  if (!found.backends.empty()) add("delegates of other backends: " + list_of(found.backends));
  if (found.jumps > 0) add(format("control flow ({} jumps)", {found.jumps}));
  if (!text.empty()) unsupported(import_.source, {text});
}

std::string Plan::name_of_value(std::int32_t index) const { return format("value {}", {index}); }

const pte::Tensor* Plan::tensor(std::int32_t value, std::string_view what) const {
  if (value < 0 || static_cast<std::size_t>(value) >= values_.size())
    refuse(fail("{} is value {}, but the method has {} values", what, value, values_.size()));
  return table_.values()->Get(static_cast<fb::uoffset_t>(value))->val_as_Tensor();
}

/// A tensor with elements in the program.
MLOperand Plan::constant(std::int32_t value, const pte::Tensor& t) {
  const MLOperandDescriptor d = info(value, t).descriptor;
  const auto subject = name_of_value(value);
  std::uint64_t elements = 1;
  for (const std::uint32_t s : d.shape)
    if ((elements *= s) > max_tensor_byte_length)
      refuse(fail("{}: its elements are more than {}", subject, max_tensor_byte_length));
  auto bytes = program_.tensor_bytes(t);
  if (!bytes)
    raise_named(import_.source, {subject + ": " + bytes.failure().message, bytes.failure().name});
  const std::uint64_t needed = byte_length(d);
  if (bytes->size() < needed)
    refuse(
        fail("{}: its constant has {} bytes, but {} are needed", subject, bytes->size(), needed));
  const auto from = bytes->first(static_cast<std::size_t>(needed));
  const auto unit = static_cast<std::size_t>(bits_of(d.dataType)) / 8;
  if (reinterpret_cast<std::uintptr_t>(from.data()) % unit == 0)
    return import_.builder.constant(d, Constant(import_.source.owner, from));
  if (auto bad = import_.budget.spend(needed, "a constant that is not aligned")) refuse(*bad);
  return import_.builder.constant(d, from);
}

std::optional<std::pair<std::uint32_t, std::uint64_t>> place_of(const pte::Tensor& t) {
  const auto* a = t.allocation_info();
  if (!a) return std::nullopt;
  return std::pair{a->memory_id(),
                   std::uint64_t{a->memory_offset_high()} << 32 | a->memory_offset_low()};
}

void Plan::write(std::int32_t index, MLOperand x) {
  values_[static_cast<std::size_t>(index)] = std::move(x);
  const pte::Tensor* t = tensor(index, "a result");
  if (const auto place = t ? place_of(*t) : std::nullopt) last_written_[*place] = index;
}

/// Upstream's exporter leaves out the instruction of a view whose shape is known: the view is a
/// value in the memory of the tensor that it is a view of.
MLOperand Plan::in_memory_of(std::int32_t index, const pte::Tensor& t) {
  const auto place = place_of(t);
  const auto found = place ? last_written_.find(*place) : last_written_.end();
  if (found == last_written_.end()) return {};
  const MLOperandDescriptor d = info(index, t).descriptor;
  const MLOperand x = values_[static_cast<std::size_t>(found->second)];
  if (x.dataType() != d.dataType || element_count(x.shape()) != element_count(d.shape)) return {};
  quantization_[index] = quantization_[found->second];
  return x.shape() == d.shape ? x : import_.builder.reshape(x, d.shape);
}

MLOperand Plan::value(std::int32_t index) {
  const pte::Tensor* t = tensor(index, "an argument");
  MLOperand& x = values_[static_cast<std::size_t>(index)];
  if (x) return x;
  if (!t) refuse(fail("{} is read as a tensor, but it is not one", name_of_value(index)));
  if (t->data_buffer_idx() == 0) {
    if (MLOperand view = in_memory_of(index, *t)) return view;
    refuse(fail("{} is read before it is written: it is not an input or a constant",
                name_of_value(index)));
  }
  if (t->allocation_info())
    unsupported(import_.source, fail("{} is a variable, whose value lasts from one run to the next",
                                     name_of_value(index)));
  return x = constant(index, *t);
}

void Plan::inputs(Model& model) {
  model_ = &model;
  std::vector<PortName> names;
  std::vector<std::int32_t> list;
  for (const std::int32_t v : elements_of(table_.inputs())) {
    // A number has the value that the program was exported with.
    const pte::Tensor* t = tensor(v, "an input");
    if (!t) continue;
    names.push_back({std::string(info(v, *t).name), "input"});
    list.push_back(v);
  }
  if (auto bad = import_.budget.count(size_of(table_.inputs()))) refuse(*bad);
  make_distinct(names);
  check_names(import_, names);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const TensorInfo t = info(list[i], *tensor(list[i], "an input"));
    if (values_[static_cast<std::size_t>(list[i])])
      refuse(fail("{} is an input twice", name_of_value(list[i])));
    const MLOperand x = ports_.input(names[i].name, t.descriptor, t.fixed);
    write(list[i], x);
    input_of_[list[i]].push_back(i);
    model.inputs.push_back({names[i].name, x});
    model.input_quantization.push_back(std::nullopt);
  }
}

void Plan::outputs(Model& model) {
  const auto list = elements_of(table_.outputs());
  if (auto bad = import_.budget.count(list.size())) refuse(*bad);
  if (list.empty()) refuse(fail("the method has no outputs"));
  std::vector<PortName> names;
  for (const std::int32_t v : list) {
    const pte::Tensor* t = tensor(v, "an output");
    if (!t)
      unsupported(import_.source,
                  fail("output {}, {}, is not a tensor", names.size(), name_of_value(v)));
    names.push_back({std::string(info(v, *t).name), "output"});
  }
  make_distinct(names);
  std::vector<OutputPort> ends;
  for (std::size_t i = 0; i < list.size(); ++i)
    ends.push_back({static_cast<std::uint32_t>(list[i]), names[i].name});
  const auto find = [&](const std::string& name) { return value_named(name); };
  for (const auto& [index, name] : chosen_outputs(import_, std::move(ends), find)) {
    const auto v = static_cast<std::int32_t>(index);
    model.outputs.push_back({name, ports_.result(value(v), name)});
    model.output_quantization.push_back(quantization_[v]);
  }
}

std::optional<std::uint32_t> Plan::value_named(const std::string& name) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const auto v = static_cast<std::int32_t>(i);
    const pte::Tensor* t = tensor(v, "a value");
    const auto* more = t ? t->extra_tensor_info() : nullptr;
    if (more && text_of(more->fully_qualified_name()) == name) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

void Plan::step(const pte::Instruction& instruction) {
  if (const auto* c = instruction.instr_args_as_DelegateCall()) return call(*c);
  if (const auto* c = instruction.instr_args_as_KernelCall()) return call(*c);
  if (const auto* m = instruction.instr_args_as_MoveCall()) {
    tensor(m->move_to(), "the target of a move");
    write(m->move_to(), value(m->move_from()));
  }
}

std::int32_t Plan::argument_index(const pte::DelegateCall& c, const Delegate& d,
                                  const ValueInfo& v) const {
  const auto args = elements_of(c.args());
  if (v.external_id >= args.size())
    d.refuse(fail("{}: its external id ({}) is not below the number of arguments ({})", v.text(),
                  v.external_id, args.size()));
  return args[v.external_id];
}

/// A value of the plan as the graph of a delegate has it: a scalar may have one dimension there.
MLOperand Plan::argument(const Delegate& delegate, const ValueInfo& v, std::int32_t index) {
  MLOperand x = value(index);
  if (x.dataType() != *v.dataType)
    delegate.refuse(fail("{} is {}, but {} of the method is {}", v.text(), name_of_type(v.type),
                         name_of_value(index), x.dataType()));
  if (x.rank() != v.dims.size()) {
    auto d = descriptor_of(v);
    if (!d) delegate.raise_by_name(d.failure());
    if (element_count(d->shape) != element_count(x.shape()))
      delegate.refuse(fail("{} has shape {}, but {} of the method has {}", v.text(), d->shape,
                           name_of_value(index), x.shape()));
    x = import_.builder.reshape(x, d->shape);
  }
  if (const auto q = quantization_of(v)) {
    quantization_[index] = q;
    for (const std::size_t i : input_of_[index]) model_->input_quantization[i] = q;
  }
  return x;
}

void Plan::set_result(Delegate& delegate, const ValueInfo& v, std::int32_t index) {
  const pte::Tensor* t = tensor(index, "a result");
  if (!t)
    delegate.refuse(
        fail("{} is written to {}, which is not a tensor", v.text(), name_of_value(index)));
  const TensorInfo expected = info(index, *t);
  MLOperand y = output_of(delegate, v.id);
  // Indices are 32 bits wide in XNNPACK.
  if (y.dataType() == int32 && expected.descriptor.dataType == int64)
    y = import_.builder.cast(y, int64);
  if (y.dataType() != expected.descriptor.dataType)
    delegate.refuse(fail("{} is {}, but {} of the method is {}", v.text(), y.dataType(),
                         name_of_value(index), expected.descriptor.dataType));
  const Dims& shape = expected.descriptor.shape;
  if (y.shape() != shape && (expected.is_static || y.rank() != shape.size())) {
    const bool may_differ = !import_.options.shapes.empty() && y.rank() == shape.size();
    if (element_count(y.shape()) == element_count(shape)) y = import_.builder.reshape(y, shape);
    else if (!may_differ)
      delegate.refuse(fail("{} has shape {}, but {} of the method has {}", v.text(), y.shape(),
                           name_of_value(index), shape));
  }
  quantization_[index] = quantization_of(v);
  write(index, std::move(y));
}

/// x, of which dimension i is the one of that number before.
MLOperand Plan::transposed(const MLOperand& x, const Dims& order) const {
  MLGraphBuilder b = import_.builder;
  return std::ranges::is_sorted(order) ? x : b.transpose(x, {.permutation = order});
}

/// The result of an operator in the order of its elements in memory.
MLOperand Plan::in_memory_order(const std::string& name, MLOperand y, const TensorInfo& to) const {
  const MLOperandDescriptor& d = to.descriptor;
  if (y.rank() != to.order.size())
    refuse(fail("{}: its result has {} dimensions, but should have shape {}", name, to.order.size(),
                y.shape()));
  if (y.dataType() != d.dataType)
    unsupported(import_.source,
                fail("{}: its result is {}, but should be {}", name, d.dataType, y.dataType()));
  y = transposed(y, to.order);
  if (to.is_static && y.shape() != d.shape && import_.options.shapes.empty())
    refuse(fail("{}: its result has shape {}, but should have {}", name, d.shape, y.shape()));
  return y;
}

void Plan::call(const pte::KernelCall& c) {
  const std::string name = *name_of_operator(table_, c);
  const KernelRow& row = *kernel_of(name);
  const auto args = elements_of(c.args());
  if (auto bad = import_.budget.count(args.size())) refuse(*bad);
  const std::size_t place = row.result < 0 ? args.size() - 1 : static_cast<std::size_t>(row.result);
  if (args.size() < 2 || place >= args.size())
    refuse(fail("{} has {} arguments", name, args.size()));
  const std::int32_t result = args[place];
  const pte::Tensor* to = tensor(result, "a result");
  if (!to) refuse(fail("{} writes {}, which is not a tensor", name, name_of_value(result)));
  const auto operand = [this](std::int32_t v) {
    return transposed(value(v), info(v, *tensor(v, "an argument")).order_of_sizes());
  };
  const KernelCall call(import_, name, args.first(place), table_, operand, info(result, *to));
  try {
    write(result, in_memory_order(name, row.import(call), call.result));
  } catch (const TypeError& e) { formats::rethrow(e, name, "executorch", import_.source.label); }
  const pte::Tensor* from = tensor(args.front(), "an argument");
  const bool moves = std::ranges::any_of(movement_kernels(),
                                         [&](const KernelRow& other) { return &other == &row; });
  if (moves && from && from->scalar_type() == to->scalar_type())
    quantization_[result] = quantization_[args.front()];
}

void Plan::call(const pte::DelegateCall& c) {
  const auto index = static_cast<fb::uoffset_t>(c.delegate_index());
  const std::string where = format("delegate {}: ", {index});
  if (auto bad = import_.budget.count(size_of(c.args()))) refuse(*bad);
  auto blob = program_.blob(*table_.delegates()->Get(index));
  if (!blob) raise_named(import_.source, {where + blob.failure().message, blob.failure().name});
  if (blob->graph->xvalues() == nullptr) refuse({where + "its graph has no values"});
  Delegate delegate(import_, std::move(*blob), where);
  for (const External& e : delegate.inputs()) {
    const ValueInfo& v = delegate.info(e.value);
    delegate.set_input(e.value, argument(delegate, v, argument_index(c, delegate, v)));
  }
  delegate.import_nodes();
  for (const External& e : delegate.outputs()) {
    const ValueInfo& v = delegate.info(e.value);
    set_result(delegate, v, argument_index(c, delegate, v));
  }
}

}  // namespace

const pte::ExecutionPlan& find_method(const Import& import, const Program& program) {
  const auto* all = program.table().execution_plan();
  const std::string wanted = import.options.method;
  std::string names;
  for (fb::uoffset_t i = 0; i < size_of(all); ++i) {
    const std::string_view name = text_of(all->Get(i)->name());
    if (name == (wanted.empty() ? "forward" : wanted)) return *all->Get(i);
    if (i < 20) names += (i ? ", " : "") + in_quotes(name);
  }
  if (!wanted.empty())
    wrong_option(import.source, fail("there is no method {}; the program has {}", in_quotes(wanted),
                                     names.empty() ? "none" : names));
  if (size_of(all) == 0) refuse(import.source, fail("the program has no methods"));
  return *all->Get(0);
}

Model import_program(Import& import) {
  const Program program(import.source);
  Import aligned{import.builder, program.source(), import.options, import.budget};
  return Plan(aligned, program, find_method(aligned, program)).run();
}

}  // namespace webnn::inline v0_1::executorch
