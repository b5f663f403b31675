// Calls of another subgraph, which are inlined.
#include "src/formats/tflite/import/call.h"

#include "src/graph/failure.h"

namespace webnn::inline v0_1::tflite {
namespace {

using Code = schema::BuiltinOperator;

constexpr int max_call_depth = 16;

void call(Call& c) {
  const auto o = c.options<schema::CallOptionsT>();
  Import& import = c.scope().import();
  if (o.subgraph >= size_of(import.file.model->subgraphs()))
    c.refuse(fail("there is no subgraph {}", o.subgraph));
  if (c.scope().depth() == max_call_depth)
    c.refuse(fail("calls are nested more than {} deep", max_call_depth));
  Scope inner(import, o.subgraph, c.scope().depth() + 1);
  const auto inputs = elements_of(inner.table().inputs()),
             outputs = elements_of(inner.table().outputs());
  if (inputs.size() != c.inputs() || outputs.size() != c.outputs())
    c.refuse(fail("subgraph {} has {} inputs and {} outputs, but the call {} and {}", o.subgraph,
                  inputs.size(), outputs.size(), c.inputs(), c.outputs()));
  for (std::size_t i = 0; i < inputs.size(); ++i) inner.set(inputs[i], c.stored(i));
  inner.import_operators({outputs.begin(), outputs.end()});
  for (std::size_t i = 0; i < outputs.size(); ++i) c.put_stored(inner.value(outputs[i]), i);
}

constexpr Handler handlers[] = {{Code::CALL, call, 0, many, 0, many}};

}  // namespace

std::span<const Handler> subgraph_call_handlers() { return handlers; }

}  // namespace webnn::inline v0_1::tflite
