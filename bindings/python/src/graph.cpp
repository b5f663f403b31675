// MLGraph.
#include <pybind11/stl.h>

#include "bindings/python/src/module.h"
#include "webnn/passes.h"
#include "webnn/quantize_weights.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::python {
namespace {

/// Open dimensions have their names. `operands` are those of the graph, or none: then they are 0.
py::dict described(const NamedDescriptors& all, const NamedOperands& operands) {
  py::dict result;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [name, d] = all[i];
    py::dict one;
    one["dataType"] = to_python(name_of(d.dataType));
    one["shape"] = to_python(d.shape);
    if (i < operands.size()) {
      const auto dimensions = operands[i].operand.dimensions();
      one["shape"] = dimensions ? py::object(to_python(*dimensions)) : py::none();
    }
    result[to_python(name)] = one;
  }
  return result;
}

/// What a graph with open dimensions has; nothing for others, and when it is destroyed.
template <class Get> NamedOperands open_operands(const MLGraph& graph, Get get) {
  if (!graph.is_open()) return {};
  try {
    return get(graph.graph());
  } catch (const InvalidStateError&) { return {}; }
}
py::dict inputs(const MLGraph& graph) {
  const auto get = [](const Graph& g) { return g.inputs(); };
  return described(graph.inputs(), open_operands(graph, get));
}
py::dict outputs(const MLGraph& graph) {
  const auto get = [](const Graph& g) { return g.outputs(); };
  return described(graph.outputs(), open_operands(graph, get));
}

/// <webnn.MLGraph: x float32 [batch, 4] -> y float32 [batch, 2]>, with the first ones of many.
std::string repr(const MLGraph& graph) {
  const auto list = [](const py::dict& all) {
    constexpr std::size_t most = 4;
    std::string text;
    std::size_t count = 0;
    for (const auto& [name, d] : all) {
      if (count++ == most) return text + ", ...";
      const py::object shape = d["shape"];
      std::string sizes;
      if (!shape.is_none())
        for (const py::handle size : shape)
          sizes += (sizes.empty() ? "" : ", ") + std::string(py::str(size));
      text += (text.empty() ? "" : ", ") + std::string(py::str(name)) + ' ' +
              std::string(py::str(d["dataType"])) +
              (shape.is_none() ? std::string(" of any shape") : " [" + sizes + ']');
    }
    return text;
  };
  return "<webnn.MLGraph: " + list(inputs(graph)) + " -> " + list(outputs(graph)) + '>';
}

py::dict compute_shapes(const MLGraph& graph, const py::dict& given) {
  const auto shapes = named_shapes(given, {"computeShapes", "inputs"});
  NamedDescriptors all;
  {
    const WithoutGil release;
    all = graph.computeShapes(shapes);
  }
  py::dict result;
  for (const auto& [name, d] : all) result[to_python(name)] = to_python(d.shape);
  return result;
}

MLGraph prepare(const MLGraph& graph, const py::dict& given) {
  const auto shapes = named_shapes(given, {"prepare", "inputs"});
  const WithoutGil release;
  return graph.prepare(shapes);
}

/// The names of the inputs, and of the outputs that are their values in the next run.
py::dict kept_states(const MLGraph& graph) {
  py::dict names;
  for (const KeptState& s : keptStates(graph)) names[to_python(s.input)] = to_python(s.output);
  return names;
}

MLTensor create_state(const MLGraph& graph, std::string_view input, const py::object& shape) {
  const Dims sizes = shape.is_none() ? Dims() : dims(shape, {"createState", "shape"});
  const WithoutGil release;
  return createState(graph, input, sizes);
}

std::vector<MLTensor> states_from(py::handle given, std::string_view method) {
  const Where where{method, "states"};
  if (!py::isinstance<py::iterable>(given)) where.reject("is not a list of MLTensor");
  std::vector<MLTensor> all;
  for (const py::handle item : py::iter(given)) {
    if (!py::isinstance<MLTensor>(item)) where.reject("has an item that is not an MLTensor");
    all.push_back(py::cast<MLTensor>(item));
  }
  return all;
}

std::string explain(const MLGraph& graph, const std::optional<std::vector<double>>& microseconds) {
  return microseconds ? graph.explain(*microseconds) : graph.explain();
}

py::dict report(const MLGraph& graph) {
  const GraphReport r = graph.report();
  py::list steps, passes;
  for (const StepReport& s : r.steps) {
    py::list operators;
    for (const Node& node : s.operators) {
      py::dict one;
      one["name"] = to_python(node.name());
      one["label"] = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
          node.label().data(), static_cast<Py_ssize_t>(node.label().size()), "replace"));
      operators.append(one);
    }
    py::dict step;
    step["operators"] = operators;
    step["backend"] = s.backend;
    step["kernel"] = s.kernel;
    step["tiles"] = s.tiles;
    step["packed"] = s.packed;
    step["others"] = s.others;
    steps.append(step);
  }
  for (const PassReport& p : r.passes) {
    py::dict pass;
    pass["name"] = to_python(p.name);
    pass["before"] = p.before;
    pass["after"] = p.after;
    passes.append(pass);
  }
  py::dict all;
  all["steps"] = steps;
  all["passes"] = passes;
  all["arena"] = r.arena;
  all["arenaAtLeast"] = r.arena_at_least;
  all["packed"] = r.packed;
  all["scratch"] = r.scratch;
  all["threads"] = r.threads;
  all["threadsAsked"] = r.threads_asked;
  all["buildMs"] = r.build_ms;
  return all;
}

py::dict memory(const MLGraph& graph) {
  const GraphMemory m = graph.memory();
  py::dict all;
  all["packed"] = m.packed;
  all["shared"] = m.shared;
  all["constants"] = m.constants;
  all["arena"] = m.arena;
  all["scratch"] = m.scratch;
  all["runs"] = m.runs;
  all["total"] = m.total();
  return all;
}

py::tuple quantize_weights(const MLGraph& graph, const MLContext& context, const std::string& type,
                           std::uint32_t block) {
  const auto data_type = enum_from<MLOperandDataType>(type);
  if (!data_type) throw TypeError("quantizeWeights", type, "there is no such data type");
  std::vector<QuantizedWeights> report;
  MLGraph made;
  {
    const WithoutGil release;
    made = build_graph(context, webnn::quantize_weights(
                                    graph.graph(), {.type = *data_type, .block = block}, &report));
  }
  py::list rows;
  for (const QuantizedWeights& w : report) {
    py::dict row;
    row["reader"] = to_python(w.reader);
    row["dataType"] = to_python(name_of(w.weights.dataType));
    row["shape"] = to_python(w.weights.shape);
    row["block"] = w.block;
    row["relativeError"] = w.relative_error;
    row["bytes"] = w.bytes;
    rows.append(row);
  }
  return py::make_tuple(py::cast(std::move(made)), rows);
}

}  // namespace

void define_graph(py::module_& module) {
  Class<MLGraph>(module, "MLGraph", "A compiled graph: https://www.w3.org/TR/webnn/#mlgraph")
      .def_property_readonly("inputs", &inputs,
                             "The inputs by name: dicts with dataType and shape, which has the "
                             "names of open dimensions.")
      .def_property_readonly("outputs", &outputs, "The outputs, likewise.")
      .def("__repr__", &repr)
      .def("computeShapes", &compute_shapes, py::arg("inputs"),
           "computeShapes(inputs)\n\nThe shapes of the outputs in a run with these shapes of the "
           "inputs; both are dicts by name. Inputs without open dimensions may be left out.")
      .def("prepare", &prepare, py::arg("inputs"),
           "prepare(inputs)\n\nPrepares runs with these shapes of the inputs, a dict, which "
           "otherwise the first such run does. Returns the graph of these sizes alone, which can "
           "run and be explained and profiled like any other.")
      .def("createState", &create_state, py::arg("input"), py::arg("shape") = py::none(),
           "createState(input, shape=None)\n\nA tensor of zeros for a state of the graph "
           "(MLGraphBuilder.update()), by the name of its input. A state that grows has memory for "
           "its bound, each dispatch makes it longer, and its shape is the one that the next run "
           "sees. The shape may be left out when no other dimension is open.")
      .def("resetStates", &resetStates, py::call_guard<WithoutGil>(),
           "resetStates()\n\nSets the states that the graph keeps (MLGraphBuilder.keepState()) to "
           "their initial values after the runs that are already queued.")
      .def_property_readonly("keptStates", &kept_states,
                             "The states that the graph keeps: the name of the output for that of "
                             "each input.")
      .def("_explain", &explain, py::arg("microseconds") = py::none())
      .def("report", &report,
           "report()\n\nThe content of explain() as a dict: steps, passes and memory.")
      .def("memory", &memory, "memory()\n\nThe bytes that the graph holds, as a dict.")
      .def(
          "text", [](const MLGraph& g) { return to_text(g.graph()); },
          "text()\n\nA line for each operand and operator of the graph as it was built.")
      .def("destroy", &MLGraph::destroy, py::call_guard<WithoutGil>(),
           "destroy()\n\nFrees what the graph holds.");
  module.def(
      "joinStates",
      [](py::handle states) {
        const auto given = states_from(states, "joinStates");
        const WithoutGil release;
        return joinStates(given);
      },
      py::arg("states"),
      "joinStates(states)\n\nJoins the states of several sequences into one MLTensor, which has "
      "them one after the other along dimension 0. A dispatch that gets this tensor as the input "
      "and as the output of a growing state adds to each state its row of the result. The states "
      "also remain separate tensors.");
  module.def(
      "forkStates",
      [](py::handle states) {
        const auto given = states_from(states, "forkStates");
        const WithoutGil release;
        return forkStates(given);
      },
      py::arg("states"),
      "forkStates(states)\n\nA list of new states with the rows that these states have now. Where "
      "the system can do so, both share the memory of equal rows until one of them is changed.");
  module.def(
      "quantizeWeights", &quantize_weights, py::arg("graph"), py::arg("context"),
      py::arg("dataType") = "int8", py::arg("block") = 32,
      "quantizeWeights(graph, context, dataType='int8', block=32)\n\nThe graph, which was "
      "built with keepConstants=True, with the weights of its products, 1x1 convolutions and "
      "tables as int4, int8 or float16, built in a context; and a list with a dict for each "
      "constant: its reader, data type and shape, the block, the relative error, the "
      "bytes.");
}

}  // namespace webnn::inline v0_1::python
