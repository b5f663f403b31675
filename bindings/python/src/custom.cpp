// CustomOperator: an operator that is a function of numpy arrays.
#include "webnn/custom.h"

#include <cstring>

#include "bindings/python/src/foreign_gil.h"
#include "bindings/python/src/listeners.h"

namespace pybind11::detail {
template <>
struct type_caster<webnn::CustomOperator> : webnn::python::HandleCaster<webnn::CustomOperator> {};
}  // namespace pybind11::detail

namespace webnn::inline v0_1::python {
namespace {

CustomValue value_from(py::handle v, Where where);
template <class T> CustomValue list_from(const py::list& list) {
  std::vector<T> all;
  for (const py::handle item : list) all.push_back(py::cast<T>(item));
  return CustomValue(std::move(all));
}
bool is_text(py::handle v) { return py::isinstance<py::str>(v) || py::isinstance<py::bytes>(v); }
bool is_integer(py::handle v) { return PyIndex_Check(v.ptr()) != 0; }

/// None, a bool, an int, a float, a str, bytes, or a sequence of one of the last four.
CustomValue value_from(py::handle v, Where where) {
  if (v.is_none()) return {};
  if (py::isinstance<py::bool_>(v)) return CustomValue(py::cast<bool>(v));
  if (is_text(v)) return CustomValue(py::cast<std::string>(v));
  if (is_integer(v)) {
    const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(v.ptr()));
    if (!index) throw py::error_already_set();
    return CustomValue(py::cast<std::int64_t>(index));
  }
  if (PyFloat_Check(v.ptr()) || py::hasattr(v, "__float__"))
    return CustomValue(py::cast<double>(v.attr("__float__")()));
  if (!py::isinstance<py::sequence>(v) && !py::hasattr(v, "tolist"))
    where.reject("is not a bool, an int, a float, a str, bytes or a list of them");
  const auto list = py::list(py::hasattr(v, "tolist") ? v.attr("tolist")()
                                                      : py::reinterpret_borrow<py::object>(v));
  const auto all = [&](auto test) {
    return std::all_of(list.begin(), list.end(), [&](py::handle item) { return test(item); });
  };
  if (all(is_integer)) return list_from<std::int64_t>(list);
  if (all(is_text)) return list_from<std::string>(list);
  return list_from<double>(list);
}

py::object text_to_python(const std::string& s) {
  const auto text = py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), nullptr));
  if (text) return text;
  PyErr_Clear();
  return py::bytes(s);
}
py::object value_to_python(std::monostate) { return py::none(); }
py::object value_to_python(bool v) { return py::bool_(v); }
py::object value_to_python(std::int64_t v) { return py::int_(v); }
py::object value_to_python(double v) { return py::float_(v); }
py::object value_to_python(const std::string& v) { return text_to_python(v); }
template <class T> py::object value_to_python(const std::vector<T>& list) {
  py::list all;
  for (const T& v : list) all.append(value_to_python(v));
  return all;
}
py::dict to_python(const CustomAttributes& attributes) {
  py::dict all;
  for (const auto& [name, value] : attributes)
    all[python::to_python(name)] = std::visit([](const auto& v) { return value_to_python(v); },
                                              static_cast<const CustomValue::variant&>(value));
  return all;
}
CustomAttributes attributes_from(const py::dict& given, std::string_view method) {
  CustomAttributes all;
  for_each_item(given, {method, "attributes"}, [&](std::string_view name, py::handle value) {
    all.push_back({std::string(name), value_from(value, {method, name})});
  });
  return all;
}

/// A list of what a function has returned, which may be a single thing.
py::list results_in(const py::object& returned) {
  if (py::isinstance<py::tuple>(returned) || py::isinstance<py::list>(returned))
    return py::list(returned);
  py::list one;
  one.append(returned);
  return one;
}

/// Calls f with the GIL. What Python raises becomes an exception without objects of Python.
template <class F> auto with_gil(F f) {
  const ForeignGil gil;
  if (!gil) throw std::runtime_error("Python ends");
  std::string message;
  try {
    return f();
  } catch (const py::error_already_set& e) { message = e.what(); }
  throw std::runtime_error(message);
}

/// The function on arrays with these elements, or zeros where there are none.
py::list called(const py::object& function, const CustomCall& call, const CustomRun* run) {
  py::list arguments;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    std::byte* data = nullptr;
    py::object array = new_array(call.inputs[i], &data);
    const auto constant = call.constant(i);
    const std::size_t bytes = byte_length(call.inputs[i]);
    if (run) std::memcpy(data, run->in<std::byte>(i).data(), bytes);
    else if (constant.size() == bytes) std::memcpy(data, constant.data(), bytes);
    else std::memset(data, 0, bytes);
    arguments.append(std::move(array));
  }
  return results_in(function(*py::tuple(arguments), **to_python(call.attributes)));
}

std::vector<MLOperandDescriptor> infer_from_zeros(const py::object& function,
                                                  const CustomCall& call) {
  std::vector<MLOperandDescriptor> all;
  for (const py::handle result : called(function, call, nullptr)) {
    const Buffer buffer(result, Access::read, {"infer", "result"});
    if (!buffer.type())
      Where{"infer", "result"}.reject("has elements of the type " + buffer.type_name() +
                                      ", which WebNN does not have" + buffer.advice(std::nullopt));
    all.push_back({*buffer.type(), buffer.shape()});
  }
  return all;
}
std::vector<MLOperandDescriptor> infer_with(const py::object& infer, const CustomCall& call) {
  py::list given;
  for (const auto& [type, shape] : call.inputs)
    given.append(py::make_tuple(python::to_python(name_of(type)), python::to_python(shape)));
  const py::object returned = infer(given, **to_python(call.attributes));
  const Where where{"infer", "result"};
  std::vector<MLOperandDescriptor> all;
  for (const py::handle result : py::list(returned)) {
    const auto pair = py::cast<py::sequence>(result);
    if (pair.size() != 2) where.reject("is not a data type and a shape");
    all.push_back({data_type(py::object(pair[0]), where), dims(py::object(pair[1]), where)});
  }
  return all;
}

void compute(const py::object& function, const CustomRun& run) {
  const py::list results = called(function, run.call, &run);
  if (results.size() != run.call.outputs.size())
    throw std::runtime_error("it returned " + std::to_string(results.size()) + " arrays, not " +
                             std::to_string(run.call.outputs.size()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const MLOperandDescriptor& d = run.call.outputs[i];
    const Where where{"run", "result"};
    const Buffer buffer(py::object(results[i]), Access::read, where, d.dataType);
    buffer.check(d, where);
    std::memcpy(run.out<std::byte>(i).data(), buffer.data(), byte_length(d));
  }
}

using Handle = std::shared_ptr<const CustomOperator>;

Handle new_operator(std::string name, py::object function, const py::object& attributes,
                    const py::object& infer, std::uint32_t version, bool pure) {
  CustomOperator o{.name = std::move(name), .version = version};
  if (!attributes.is_none()) o.attributes = attributes_from(attributes, "CustomOperator");
  const Kept f = kept(std::move(function)), own = infer.is_none() ? nullptr : kept(infer);
  o.infer = [f, own](const CustomCall& call) {
    return with_gil([&] { return own ? infer_with(*own, call) : infer_from_zeros(*f, call); });
  };
  o.compute = [f](const CustomRun& run) { with_gil([&] { compute(*f, run); }); };
  o.pure = pure;
  return custom_operator(std::move(o));
}

py::list custom(MLGraphBuilder& b, const py::object& given, const py::object& inputs,
                std::string label, const py::kwargs& attributes) {
  const Where where{"custom", "inputs"};
  std::vector<MLOperand> operands;
  for (const py::handle x : py::iter(inputs)) {
    if (!py::isinstance<MLOperand>(x)) where.reject("has an item that is not an MLOperand");
    operands.push_back(*py::cast<const MLOperand*>(x));
  }
  CustomOptions options{attributes_from(attributes, "custom"), std::move(label)};
  std::vector<MLOperand> results;
  if (!py::isinstance<py::str>(given) && !py::isinstance<CustomOperator>(given))
    Where{"custom", "operator"}.reject("is neither a CustomOperator nor a name");
  if (py::isinstance<py::str>(given)) {
    const auto name = py::cast<std::string>(given);
    const WithoutGil release;
    results = b.custom(name, std::move(operands), std::move(options));
  } else {
    const auto definition = py::cast<std::shared_ptr<CustomOperator>>(given);
    const WithoutGil release;
    results = b.custom(definition, std::move(operands), std::move(options));
  }
  py::list all;
  for (MLOperand& y : results) all.append(std::move(y));
  return all;
}

}  // namespace

std::vector<std::shared_ptr<const CustomOperator>> custom_operators_from(py::handle list) {
  const Where where{"MLContext", "operators"};
  if (!py::isinstance<py::iterable>(list)) where.reject("is not a list of CustomOperator");
  std::vector<Handle> all;
  for (const py::handle o : py::iter(list)) {
    if (!py::isinstance<CustomOperator>(o))
      where.reject("has an item that is not a CustomOperator");
    all.push_back(py::cast<std::shared_ptr<CustomOperator>>(o));
  }
  return all;
}

void define_custom(py::module_& module, Class<MLGraphBuilder>& builder) {
  // The definition does not change: nothing in Python writes it.
  py::class_<CustomOperator, std::shared_ptr<CustomOperator>>(
      module, "CustomOperator", "An operator that is a function of numpy arrays.")
      .def(py::init([](std::string name, py::object function, const py::object& attributes,
                       const py::object& infer, std::uint32_t version, bool pure) {
             return std::const_pointer_cast<CustomOperator>(new_operator(
                 std::move(name), std::move(function), attributes, infer, version, pure));
           }),
           py::arg("name"), py::arg("function"), py::arg("attributes") = py::none(), py::kw_only(),
           py::arg("infer") = py::none(), py::arg("version") = 1, py::arg("pure") = true,
           "CustomOperator(name, function, attributes=None, *, infer=None, version=1, pure=True)"
           "\n\nfunction(*arrays, **attributes) returns an array, or a tuple of them. attributes "
           "is a dict of the defaults; an attribute whose default is None has to be given. "
           "infer(inputs, **attributes) gets "
           "and returns a list of (dataType, shape); without it, the function is called with zeros "
           "for each size of open dimensions that is tried, and must return arrays whose types and "
           "shapes do not depend on the elements.\n\nThe function runs on a thread of the "
           "context and holds the GIL while it does, so that two of them never run at the same "
           "time. It must not use the builder, nor wait for the context that runs it.")
      .def_property_readonly(
          "name", [](const CustomOperator& o) { return o.name; },
          "The name, such as \"example.TopK\".")
      .def_property_readonly(
          "version", [](const CustomOperator& o) { return o.version; },
          "The version, which files have beside the name.");
  builder.def("custom", &custom, py::arg("operator"), py::arg("inputs"), py::arg("label") = "",
              "custom(operator, inputs, label=\"\", **attributes)\n\nThe list of the "
              "results of a CustomOperator, which is given itself, or by its name if it is one of "
              "the context's.");
}

}  // namespace webnn::inline v0_1::python
