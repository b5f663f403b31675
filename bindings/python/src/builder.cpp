// MLOperand and MLGraphBuilder.
#include <cmath>

#include "bindings/python/src/module.h"
#include "webnn/number.h"
#include "webnn/state.h"

namespace webnn::inline v0_1::python {
namespace {

/// A dict, or a data type and a shape.
MLOperand input(MLGraphBuilder& b, std::string name, const py::object& given,
                const py::object& shape, const py::object& type) {
  const Where where{"input", "descriptor"};
  const bool is_type = !given.is_none() && !py::isinstance<py::dict>(given) && !shape.is_none();
  MLInputOperandDescriptor d;
  if (!given.is_none() && !is_type) {
    d = input_descriptor(given, where);
  } else {
    if (!is_type && type.is_none()) where.reject("is missing");
    d.dataType = data_type(is_type ? given : type, where);
    if (!shape.is_none()) d.shape = dimensions(shape, where);
  }
  const WithoutGil release;  // another thread may hold the builder and wait for the GIL
  return b.input(std::move(name), std::move(d));
}

MLOperand from_array(MLGraphBuilder& b, std::optional<MLOperandDescriptor> d,
                     const py::object& array, const py::object& copy) {
  const Where where{"constant", "buffer"};
  Buffer buffer(array, Access::read, where, d ? std::optional(d->dataType) : std::nullopt);
  if (d) buffer.check(*d, where);
  else if (buffer.type()) d = {*buffer.type(), buffer.shape()};
  else
    where.reject(
        "has elements of the type " + buffer.type_name() + ", which WebNN does not have" +
        (py::hasattr(array, "dtype")
             ? buffer.advice(std::nullopt)
             : "; constant({\"dataType\": \"float32\", \"shape\": [2]}, [1, 2]) says the type"));
  const bool share = copy.is_none() ? buffer.read_only() : !py::cast<bool>(copy);
  if (share) {
    Constant values = shared(std::move(buffer));
    const WithoutGil release;
    return b.constant(std::move(*d), std::move(values));
  }
  const WithoutGil release;
  return b.constant(std::move(*d), InputView(buffer.bytes()));
}

MLNumber number_of(py::handle object, Where where) {
  if (PyIndex_Check(object.ptr()))
    if (const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()))) {
      const bool negative = index.attr("__lt__")(0).cast<bool>();
      const std::int64_t small = negative ? PyLong_AsLongLong(index.ptr()) : 0;
      const std::uint64_t large = negative ? 0 : PyLong_AsUnsignedLongLong(index.ptr());
      if (!PyErr_Occurred()) return negative ? MLNumber(small) : MLNumber(large);
    }
  PyErr_Clear();  // an array of a float, or more than 64 bits
  const bool text = py::isinstance<py::str>(object);
  const double v = text || !PyNumber_Check(object.ptr()) ? 0 : PyFloat_AsDouble(object.ptr());
  if (!text && PyNumber_Check(object.ptr()) && !PyErr_Occurred()) return v;
  PyErr_Clear();
  where.reject('(' + std::string(py::str(py::repr(object))) + ") is not a number");
}

/// Whether a constant of the data type has this number: of floats the nearest, but not an infinity
/// in place of a finite one. As operators of webnn/fluent.h have it.
bool is_number_of(const py::object& type, const py::object& object) {
  const MLOperandDataType to = data_type(type, {"constant", "dataType"});
  const MLNumber value = number_of(object, {"constant", "value"}), cast = value.to(to);
  if (is_float(to)) return std::isfinite(cast.as_double()) == std::isfinite(value.as_double());
  return value.is_integer() ? cast == value : cast.as_double() == value.as_double();
}

/// constant(array), constant(descriptor, array), constant(dataType, number), constant(tensor).
MLOperand constant(MLGraphBuilder& b, const py::object& first, const py::object& second,
                   const py::object& copy) {
  if (py::isinstance<MLTensor>(first)) {
    const MLTensor tensor = *py::cast<const MLTensor*>(first);
    const WithoutGil release;
    return b.constant(tensor);
  }
  if (second.is_none()) return from_array(b, std::nullopt, first, copy);
  if (py::isinstance<py::dict>(first))
    return from_array(b, descriptor(first, {"constant", "descriptor"}), second, copy);
  const MLOperandDataType type = data_type(first, {"constant", "dataType"});
  if (py::isinstance<py::list>(second) || py::isinstance<py::tuple>(second))
    throw TypeError("constant", "",
                    "several numbers need a shape: constant({\"dataType\": \"" +
                        std::string(name_of(type)) + "\", \"shape\": [...]}, ...)");
  const MLNumber value = number_of(second, {"constant", "value"});
  const WithoutGil release;
  return b.constant(type, value);
}

NamedOperands named_operands(const py::dict& operands, const Where& where) {
  NamedOperands named;
  for_each_item(operands, where, [&](std::string_view name, py::handle value) {
    if (!py::isinstance<MLOperand>(value)) where.reject("has a value that is not an MLOperand");
    named.push_back({std::string(name), *py::cast<const MLOperand*>(value)});
  });
  return named;
}

MLGraph build(MLGraphBuilder& b, const py::object& outputs, const py::object& inputs,
              const py::object& progress) {
  const Where where_outputs{"build", "outputs"};
  if (!py::isinstance<py::dict>(outputs))
    where_outputs.reject('(' + std::string(Py_TYPE(outputs.ptr())->tp_name) +
                         ") is not a dict of MLOperand");
  const NamedOperands named = named_operands(outputs.cast<py::dict>(), where_outputs);
  BuildOptions options;
  if (!inputs.is_none()) {
    const Where where{"build", "inputs"};
    if (!py::isinstance<py::dict>(inputs)) where.reject("is not a dict of MLOperand");
    options.inputs = named_operands(inputs.cast<py::dict>(), where);
  }
  if (!progress.is_none())
    options.progress = [&progress](const BuildProgress& p) {
      const py::gil_scoped_acquire acquire;
      progress(to_python(p.stage), p.done, p.total);
    };
  const WithoutGil release;
  return b.build(named, options);
}

void keep_state(MLGraphBuilder& b, const MLOperand& in, const MLOperand& out,
                const py::object& initial) {
  if (initial.is_none()) return keepState(b, in, out);
  const Where where{"keepState", "initial"};
  const Buffer buffer(initial, Access::read, where, in.dataType());
  if (in && !in.is_open()) buffer.check(in.descriptor(), where);
  keepState(b, in, out, Constant::copy_of(std::as_bytes(std::span(buffer.bytes()))));
}

py::list update_caches(MLGraphBuilder& b, const py::dict& inputs, const py::dict& outputs,
                       std::uint32_t max_size) {
  py::list pairs;
  for (const auto& [past, present] :
       updateCaches(b, named_operands(inputs, {"updateCaches", "inputs"}),
                    named_operands(outputs, {"updateCaches", "outputs"}), max_size))
    pairs.append(py::make_tuple(to_python(past), to_python(present)));
  return pairs;
}

/// None where even the number of dimensions is open.
py::object shape(const MLOperand& x) {
  const auto dimensions = x.dimensions();
  if (!dimensions) return py::none();
  return to_python(*dimensions);
}

std::string repr(const MLOperand& x) {
  const auto dimensions = x.dimensions();
  return "MLOperand(" + std::string(name_of(x.dataType())) +
         (dimensions ? ' ' + shown(*dimensions) : " of any shape") + ')';
}

}  // namespace

void define_builder(py::module_& module) {
  Class<MLOperand>(module, "MLOperand",
                   "A value of a graph: https://www.w3.org/TR/webnn/#mloperand")
      .def_property_readonly(
          "dataType", [](const MLOperand& x) { return to_python(name_of(x.dataType())); },
          "The name of the type of its elements.")
      .def_property_readonly("shape", &shape,
                             "A tuple of sizes and of names of open dimensions; None where even "
                             "the number of dimensions is open.")
      .def_property_readonly("_builder", &builder_of)
      .def("__repr__", &repr);

  Class<MLGraphBuilder> builder(
      module, "MLGraphBuilder",
      "Builds one graph: https://www.w3.org/TR/webnn/#mlgraphbuilder\n\n"
      "Options of an operator are keyword arguments, or one dict after the arguments.");
  builder
      .def(py::init([](const py::object& context) {
             if (!py::isinstance<MLContext>(context))
               Where{"MLGraphBuilder", "context"}.reject(
                   '(' + std::string(Py_TYPE(context.ptr())->tp_name) + ") is not an MLContext");
             return Holder<MLGraphBuilder>(new MLGraphBuilder(context.cast<MLContext>()));
           }),
           py::arg("context"),
           "MLGraphBuilder(context)\n\nBuilds one graph, which runs in the context.")
      .def("input", &input, py::arg("name"), py::arg("descriptor") = py::none(),
           py::arg("shape") = py::none(), py::kw_only(), py::arg("dataType") = py::none(),
           "input(name, descriptor=None, shape=None, *, dataType=None)\n\nAn input of the graph: "
           "input(name, dataType, shape), also by keywords, or input(name, descriptor), a dict of "
           "both.\n\nA dimension of the shape may have a name in place of a size, such as "
           "\"batch\", or Dimension(\"batch\", minSize=1, maxSize=64), a tuple with bounds. Each "
           "run chooses its size, which is the same for all dimensions of that name. Methods that "
           "get such an operand raise TypeError only when no size is right; a run raises it when "
           "its sizes are not.")
      .def("constant", &constant, py::arg("descriptor"), py::arg("buffer") = py::none(),
           py::kw_only(), py::arg("copy") = py::none(),
           "constant(descriptor, buffer=None, *, copy=None)\n\nA constant of the graph, as "
           "constant(array), constant(descriptor, buffer), constant(dataType, number) or "
           "constant(tensor).\n\n"
           "Read-only arrays are shared, and others are copied; copy=False shares an array that "
           "the caller promises not to change.")
      .def(
          "update",
          [](MLGraphBuilder& b, const MLOperand& in, const MLOperand& out) {
            const WithoutGil release;
            update(b, in, out);
          },
          py::arg("stateIn"), py::arg("stateOut"),
          "update(stateIn, stateOut)\n\nDeclares that stateOut is the input stateIn after a run, "
          "for example a cache with a new row: a dispatch may then be given one tensor for both, "
          "and writes only what changes, where it can. One open dimension with a bound may differ: "
          "the state grows along it, and MLGraph.createState() makes its tensor.")
      .def("keepState", &keep_state, py::arg("stateIn"), py::arg("stateOut"),
           py::arg("initial") = py::none(),
           "keepState(stateIn, stateOut, initial=None)\n\nDeclares a state, update(), that the "
           "graph keeps: a run that is given neither its input nor its output reads what the run "
           "before it has left, and the first one reads initial, an array of the type and shape of "
           "stateIn, or zeros. MLGraph.resetStates() sets it back.")
      .def("updateCaches", &update_caches, py::arg("inputs"), py::arg("outputs"),
           py::arg("maxSize"),
           "updateCaches(inputs, outputs, maxSize)\n\nDeclares the caches of a decoder that comes "
           "from a file as states, update(), by the names that exporters give them: an input with "
           "\"past\" or \"past_key_values\" in its name, and the output that has \"present\" "
           "there instead. inputs and outputs are dicts of MLOperand, those of importModel(). "
           "maxSize becomes the bound of the dimension along which the caches grow, unless it has "
           "a smaller one. Returns the pairs of names. MLGraph.createState() makes the tensors. "
           "Raises TypeError if there is no such pair, and for a pair that update() refuses.")
      .def("build", &build, py::arg("outputs"), py::kw_only(), py::arg("inputs") = py::none(),
           py::arg("progress") = py::none(),
           "build(outputs, *, inputs=None, progress=None)\n\nCompiles what the outputs, a dict of "
           "MLOperand, need. inputs, a dict of MLOperand, lists the inputs of the graph in their "
           "order, including those that no output needs, which a call may give or leave out. "
           "progress(stage, done, total) is called as the build goes on; what it raises ends the "
           "build.");
  define_operators(builder);
  define_custom(module, builder);
  module.def("_isNumberOf", &is_number_of, py::arg("dataType"), py::arg("number"));
}

}  // namespace webnn::inline v0_1::python
