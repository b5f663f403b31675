// Variables, which last from one run to the next: states that the graph keeps.
#include "src/builder/builder_state.h"
#include "src/formats/tflite/import/call.h"
#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

constexpr std::size_t max_variables = 4096;

/// The subgraph of the variables' first values.
void call_once(Call& c) {
  const auto o = c.options<schema::CallOnceOptionsT>();
  Import& import = c.scope().import();
  if (o.init_subgraph_index < 0 ||
      static_cast<std::size_t>(o.init_subgraph_index) >= size_of(import.file.model->subgraphs()))
    c.refuse(fail("there is no subgraph {}", o.init_subgraph_index));
  if (c.scope().depth() > 0) c.unsupported("it is in a subgraph that is called");
  Scope inner(import, static_cast<std::size_t>(o.init_subgraph_index), 1, true);
  if (size_of(inner.table().inputs()) > 0)
    c.refuse(fail("subgraph {} has inputs", o.init_subgraph_index));
  inner.import_operators({});
}

void var_handle(Call& c) {
  const auto o = c.options<schema::VarHandleOptionsT>();
  Import& import = c.scope().import();
  const std::string name = o.container.empty() ? o.shared_name : o.container + '/' + o.shared_name;
  if (name.empty()) c.refuse(fail("its variable has no name"));
  std::size_t i = 0;
  while (i < import.variables.size() && import.variables[i].name != name) ++i;
  if (i == import.variables.size()) {
    if (i == max_variables) c.unsupported(fail("there are more than {} variables", max_variables));
    if (auto bad = import.budget.count(name.size() + 1)) c.refuse(*bad);
    import.variables.push_back({.name = name});
  }
  c.scope().set_resource(static_cast<std::int32_t>(c.out().index), i);
}

Variable& variable_of(Call& c) {
  const auto i = c.scope().resource(static_cast<std::int32_t>(c.in(0).index));
  if (!i) c.refuse(fail("its input 0, {}, is not a variable", c.in(0).text()));
  return c.scope().import().variables[*i];
}

/// Checks that all uses of a variable agree.
void require_descriptor(const Call& c, Variable& v, const MLOperandDescriptor& d) {
  if (!v.descriptor) v.descriptor = d;
  else if (*v.descriptor != d)
    c.refuse(fail("its variable {} is {} {} here, but {} {} elsewhere", in_quotes(v.name),
                  d.dataType, d.shape, v.descriptor->dataType, v.descriptor->shape));
}

void read_variable(Call& c) {
  Variable& v = variable_of(c);
  const TensorInfo& t = c.out();
  auto d = descriptor_of(t);
  if (!d) c.unsupported(d.failure());
  require_descriptor(c, v, *d);
  if (!v.value) {
    std::string name = v.name;
    const auto taken = [&](const std::string& s) {
      const auto& inputs = detail::state_of(c.b)->input_names;
      return inputs.find(s) != inputs.end();
    };
    while (taken(name)) name += "_state";
    v.input = c.b.input(name, {d->dataType, {d->shape.begin(), d->shape.end()}});
    v.value = v.input;
    v.quantization = quantization_of(t);
  }
  c.put_stored(v.value);
}

void assign_variable(Call& c) {
  Variable& v = variable_of(c);
  const MLOperand x = c.stored(1);
  if (x.is_open() || !x.dimensions())
    c.unsupported(fail("its variable {} would have a size that is open", in_quotes(v.name)));
  require_descriptor(c, v, {x.dataType(), x.shape()});
  if (!c.scope().initializes()) {
    if (c.scope().depth() > 0)
      c.unsupported(
          fail("variable {} is assigned in a subgraph that is called", in_quotes(v.name)));
    v.value = x;
    return;
  }
  v.initial = c.known(1);
}

constexpr Handler handlers[] = {
    {Code::CALL_ONCE, call_once, 0, 0, 0, 0},
    {Code::VAR_HANDLE, var_handle, 0, 0},
    {Code::READ_VARIABLE, read_variable, 1, 1},
    {Code::ASSIGN_VARIABLE, assign_variable, 2, 2, 0, 0},
};

}  // namespace

std::span<const Handler> variable_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
