// MLContext and MLTensor.
#include <pybind11/stl.h>

#include <stop_token>

#include "bindings/python/src/module.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::python {
namespace {

/// An output or input of a graph by its name.
const MLOperandDescriptor& find(const NamedDescriptors& all, std::string_view name, Where where) {
  for (const NamedDescriptor& d : all)
    if (d.name == name) return d.descriptor;
  where.reject("has \"" + escaped(name) + "\", which the graph does not have");
}

/// An argument that is an object of a class.
template <class T> const T& given(py::handle object, Where where, const char* type) {
  if (!py::isinstance<T>(object))
    where.reject('(' + std::string(Py_TYPE(object.ptr())->tp_name) + ") is not an " + type);
  require_initialized(object, typeid(T));
  return *py::cast<const T*>(object);
}
py::dict dict_of(const py::object& object, Where where, const char* values) {
  if (!py::isinstance<py::dict>(object))
    where.reject('(' + std::string(Py_TYPE(object.ptr())->tp_name) + ") is not a dict of " +
                 values);
  return py::reinterpret_borrow<py::dict>(object);
}

/// A graph with known sizes, for one that may be open.
MLGraph sized(const MLGraph& graph, const std::vector<NamedShape>& shapes) {
  if (!graph.is_open()) return graph;
  const WithoutGil release;
  try {
    return graph.prepare(shapes);
  } catch (const Error& e) {
    if (e.op() != "prepare") throw;
    detail::raise({e.reason(), e.name()}, "compute", e.label());
  }
}

struct Inputs {
  std::vector<Buffer> buffers{};
  std::vector<NamedInput> views{};
  std::vector<NamedShape> shapes{};  // for a graph with open dimensions
};

Inputs inputs_of(const MLGraph& graph, const py::dict& given) {
  Inputs all;
  all.buffers.reserve(given.size());
  const bool open = graph.is_open();
  for_each_item(given, {"compute", "inputs"}, [&](std::string_view name, py::handle value) {
    const MLOperandDescriptor& d = find(graph.inputs(), name, {"compute", "inputs"});
    const Where where{"compute", name};
    const Buffer& buffer = all.buffers.emplace_back(value, Access::read, where, d.dataType);
    if (open) all.shapes.push_back({name, buffer.shape_as(d, where)});
    else buffer.check(d, where);
    all.views.push_back({name, InputView(buffer.bytes())});
  });
  return all;
}

/// Those of the states that a run without these inputs uses.
std::vector<std::string> kept_outputs(const MLGraph& graph, const std::vector<NamedInput>& inputs) {
  std::vector<std::string> outputs;
  for (const KeptState& s : keptStates(graph))
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](const NamedInput& x) { return x.name == s.input; }))
      outputs.push_back(s.output);
  return outputs;
}

py::dict compute(MLContext& context, const py::object& of, const py::object& inputs,
                 const py::object& outputs, const std::stop_source* stop) {
  const MLGraph whole = given<MLGraph>(of, {"compute", "graph"}, "MLGraph");
  const Inputs in = inputs_of(whole, dict_of(inputs, {"compute", "inputs"}, "arrays"));
  MLGraph graph = sized(whole, in.shapes);
  std::vector<Buffer> buffers;
  std::vector<NamedOutput> out;
  py::dict results;
  if (outputs.is_none()) {
    const std::vector<std::string> kept = kept_outputs(graph, in.views);
    for (const auto& [name, d] : graph.outputs()) {
      if (std::find(kept.begin(), kept.end(), name) != kept.end()) continue;
      std::byte* data = nullptr;
      results[to_python(name)] = new_array(d, &data);
      out.push_back({name, OutputView(std::span(data, byte_length(d)))});
    }
  } else {
    results = dict_of(outputs, {"compute", "outputs"}, "arrays");
    buffers.reserve(results.size());
    for_each_item(results, {"compute", "outputs"}, [&](std::string_view name, py::handle value) {
      const MLOperandDescriptor& d = find(graph.outputs(), name, {"compute", "outputs"});
      const Where where{"compute", name};
      const Buffer& buffer = buffers.emplace_back(value, Access::write, where);
      buffer.check(d, where);
      out.push_back({name, OutputView(std::span(buffer.data(), buffer.size()))});
    });
  }
  {
    const WithoutGil release;
    context.compute(graph, in.views, out, stop ? stop->get_token() : std::stop_token());
    graph = {};  // the last handle of these sizes, perhaps
  }
  return results;
}

// Tensors

MLTensor create_tensor(MLContext& context, const py::object& given, const py::object& type,
                       const py::object& shape, bool readable, bool writable) {
  const Where where{"createTensor", "descriptor"};
  MLTensorDescriptor d{.readable = readable, .writable = writable};
  if (!given.is_none()) {
    const MLOperandDescriptor described = descriptor(given, where);
    d.dataType = described.dataType, d.shape = described.shape;
    const auto flag = [&](const char* name, bool& out) {
      if (given.contains(name)) out = py::cast<bool>(given[name]);
    };
    flag("readable", d.readable);
    flag("writable", d.writable);
  } else {
    if (type.is_none()) where.reject("is missing");
    d.dataType = data_type(type, where);
    if (!shape.is_none()) d.shape = dims(shape, where);
  }
  return context.createTensor(std::move(d));
}

MLTensor create_constant_tensor(MLContext& context, const py::object& given,
                                const py::object& array) {
  const Where where{"createConstantTensor", "inputData"};
  MLOperandDescriptor d = descriptor(given, {"createConstantTensor", "descriptor"});
  const Buffer buffer(array, Access::read, where, d.dataType);
  buffer.check(d, where);
  return context.createConstantTensor(std::move(d), InputView(buffer.bytes()));
}

void write_tensor(MLContext& context, const MLTensor& tensor, const py::object& array) {
  const Where where{"writeTensor", "inputData"};
  const MLOperandDescriptor d{tensor.dataType(), tensor.shape()};
  const Buffer buffer(array, Access::read, where, d.dataType);
  buffer.check(d, where);
  const WithoutGil release;
  context.writeTensor(tensor, InputView(buffer.bytes()));
}

py::object read_tensor(MLContext& context, const MLTensor& tensor, const py::object& to) {
  const MLOperandDescriptor d{tensor.dataType(), tensor.shape()};
  if (to.is_none()) {
    std::byte* data = nullptr;
    py::object array = new_array(d, &data);
    const WithoutGil release;
    context.readTensor(tensor, OutputView(std::span(data, byte_length(d))));
    return array;
  }
  const Where where{"readTensor", "outputData"};
  const Buffer buffer(to, Access::write, where);
  buffer.check(d, where);
  const WithoutGil release;
  context.readTensor(tensor, OutputView(std::span(buffer.data(), buffer.size())));
  return to;
}

std::vector<NamedTensor> tensors(const py::dict& given, Where where) {
  std::vector<NamedTensor> all;
  for_each_item(given, where, [&](std::string_view name, py::handle value) {
    if (!py::isinstance<MLTensor>(value)) where.reject("has a value that is not an MLTensor");
    all.push_back({name, *py::cast<const MLTensor*>(value)});
  });
  return all;
}
void dispatch(MLContext& context, const py::object& of, const py::object& inputs,
              const py::object& outputs) {
  const MLGraph graph = given<MLGraph>(of, {"dispatch", "graph"}, "MLGraph");
  const Where where_in{"dispatch", "inputs"}, where_out{"dispatch", "outputs"};
  const auto in = tensors(dict_of(inputs, where_in, "MLTensor"), where_in);
  const auto out = tensors(dict_of(outputs, where_out, "MLTensor"), where_out);
  const WithoutGil release;
  context.dispatch(graph, in, out);
}

py::dict limits(const MLTensorLimits& l) {
  py::list types;
  for (std::size_t i = 0; i < enum_names<MLOperandDataType>.size(); ++i)
    if (l.dataTypes.contains(static_cast<MLOperandDataType>(i)))
      types.append(to_python(enum_names<MLOperandDataType>[i]));
  py::dict ranks, all;
  ranks["min"] = l.rankRange.min;
  ranks["max"] = std::min(l.rankRange.max, max_rank);
  all["dataTypes"] = types;
  all["rankRange"] = ranks;
  return all;
}
py::dict op_support_limits(const MLContext& context) {
  const MLOpSupportLimits l = context.opSupportLimits();
  py::dict all;
  all["preferredInputLayout"] = to_python(name_of(l.preferredInputLayout));
  all["maxTensorByteLength"] = l.maxTensorByteLength;
  all["input"] = limits(l.input);
  all["constant"] = limits(l.constant);
  all["output"] = limits(l.output);
  for (const auto& entry : l.entries()) {
    py::dict rows;
    for (const auto& row : entry.rows) rows[to_python(row.name)] = limits(row.limits);
    all[to_python(entry.op)] = rows;
  }
  return all;
}

std::string repr(const MLTensor& t) {
  return "MLTensor(" + std::string(name_of(t.dataType())) + ' ' +
         detail::Arg(std::span(t.shape())).text + ')';
}

}  // namespace

void define_context(py::module_& module) {
  using NoGil = py::call_guard<WithoutGil>;
  Class<MLTensor>(module, "MLTensor", "Memory of a context: https://www.w3.org/TR/webnn/#mltensor")
      .def_property_readonly(
          "dataType", [](const MLTensor& t) { return to_python(name_of(t.dataType())); },
          "The name of the type of its elements.")
      .def_property_readonly(
          "shape", [](const MLTensor& t) { return to_python(t.shape()); }, "A tuple of sizes.")
      .def_property_readonly("readable", &MLTensor::readable, "Whether readTensor() takes it.")
      .def_property_readonly("writable", &MLTensor::writable, "Whether writeTensor() takes it.")
      .def_property_readonly("constant", &MLTensor::constant,
                             "Whether it is one of createConstantTensor().")
      .def_property_readonly(
          "capacity", &stateCapacity,
          "The bound of the dimension along which a state grows; 0 for other tensors.")
      .def("resize", &resizeState, py::arg("size"), NoGil(),
           "resize(size)\n\nSets the size of the dimension along which a state grows: 0 empties "
           "the state, a smaller size keeps its first rows, and rows that are added are zero.")
      .def("destroy", &MLTensor::destroy, NoGil(), "destroy()\n\nFrees its memory.")
      .def("__repr__", &repr);

  py::class_<std::stop_source>(module, "_Stop")
      .def(py::init<>())
      .def("request", [](std::stop_source& stop) { stop.request_stop(); });
  Class<MLContext> context(module, "MLContext",
                           "Where graphs run: https://www.w3.org/TR/webnn/#mlcontext");
  define_context_options(context);
  context
      .def_property_readonly("threads", &MLContext::threads,
                             "The number of threads that work on a graph.")
      .def_property_readonly("backends", &MLContext::backends,
                             "The names of the backends, in the order in which they are asked.")
      .def_property_readonly("accelerated", &MLContext::accelerated,
                             "What the option accelerated says.")
      .def_property_readonly("lost", &MLContext::lost, "Whether destroy() was called.")
      .def("__repr__",
           [](const MLContext& c) {
             std::string names;
             for (const std::string& name : c.backends())
               names += (names.empty() ? "" : ", ") + name;
             return "<webnn.MLContext of " + std::to_string(c.threads()) + " threads: " + names +
                    '>';
           })
      .def("tuningTable", &MLContext::tuning_table,
           "tuningTable()\n\nThe measurements of the context and those of its tuningFile, as the "
           "text of a file for tuningFile.")
      .def("opSupportLimits", &op_support_limits,
           "opSupportLimits()\n\nThe limits of the operators: what they accept and a backend "
           "supports.")
      .def("destroy", &MLContext::destroy, NoGil(),
           "destroy()\n\nDestroys all graphs and tensors of the context.")
      .def("_compute", &compute, py::arg("graph"), py::arg("inputs"), py::arg("outputs"),
           py::arg("stop"))
      .def(
          "compute",
          [](MLContext& context, const py::object& graph, const py::object& inputs,
             const py::object& outputs) {
            return compute(context, graph, inputs, outputs, nullptr);
          },
          py::arg("graph"), py::arg("inputs"), py::arg("outputs") = py::none(),
          "compute(graph, inputs, outputs=None)\n\nRuns the graph on a dict of arrays, without "
          "copies of those that are contiguous and have the type and shape of the input. Returns "
          "the outputs: a dict of new arrays, or of the given ones.")
      .def("createTensor", &create_tensor, py::arg("descriptor") = py::none(), py::kw_only(),
           py::arg("dataType") = py::none(), py::arg("shape") = py::none(),
           py::arg("readable") = false, py::arg("writable") = false,
           "createTensor(descriptor=None, *, dataType=None, shape=None, readable=False, "
           "writable=False)\n\nA tensor of zeros.")
      .def("createConstantTensor", &create_constant_tensor, py::arg("descriptor"),
           py::arg("inputData"),
           "createConstantTensor(descriptor, inputData)\n\nA tensor for "
           "MLGraphBuilder.constant().")
      .def("writeTensor", &write_tensor, py::arg("tensor"), py::arg("inputData"),
           "writeTensor(tensor, inputData)\n\nCopies an array into a tensor, after the work that "
           "is queued.")
      .def("readTensor", &read_tensor, py::arg("tensor"), py::arg("outputData") = py::none(),
           "readTensor(tensor, outputData=None)\n\nWaits for the work that is queued, and returns "
           "the values in a new array or in the given one.")
      .def("dispatch", &dispatch, py::arg("graph"), py::arg("inputs"), py::arg("outputs"),
           "dispatch(graph, inputs, outputs)\n\nQueues a run of the graph on dicts of MLTensor.")
      .def(
          "profile", [](MLContext& c, const MLGraph& g, int runs) { return c.profile(g, runs); },
          py::arg("graph"), py::arg("runs") = 50, NoGil(),
          "profile(graph, runs=50)\n\nThe median microseconds of each step of the graph.");
}

}  // namespace webnn::inline v0_1::python
