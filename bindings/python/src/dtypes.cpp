#include "bindings/python/src/dtypes.h"

#include <array>

#include "webnn/bfloat16.h"
#include "webnn/float8e4m3.h"
#include "webnn/number.h"

namespace webnn::inline v0_1::python {
namespace {

py::dtype made_dtype(MLOperandDataType type) {
  const std::string_view name = ml_dtypes_name(type);
  if (!name.empty()) try {
      const py::module_ types = py::module_::import("ml_dtypes");
      return py::dtype::from_args(types.attr(std::string(name).c_str()));
    } catch (const py::error_already_set& e) {
      if (!e.matches(PyExc_ImportError) && !e.matches(PyExc_AttributeError)) throw;
    }
  return py::dtype(std::string(numpy_name(type)));
}

std::optional<MLOperandDataType> ml_dtypes_type(std::string_view name) {
  for (const MLOperandDataType type : {bfloat16, float8e4m3})
    if (name == ml_dtypes_name(type)) return type;
  return std::nullopt;
}

}  // namespace

std::string_view numpy_name(MLOperandDataType type) {
  if (type == bfloat16) return "uint16";
  if (type == float8e4m3 || bits_of(type) < 8) return "uint8";
  return name_of(type);
}
std::string_view ml_dtypes_name(MLOperandDataType type) {
  return type == bfloat16 ? "bfloat16" : type == float8e4m3 ? "float8_e4m3fn" : "";
}
std::optional<MLOperandDataType> ml_dtypes_array(py::handle object) {
  if (!py::isinstance<py::array>(object)) return std::nullopt;
  return ml_dtypes_type(py::cast<std::string>(object.attr("dtype").attr("name")));
}

py::array rounded_bits(py::handle numbers, MLOperandDataType type) {
  const auto from = py::cast<py::array_t<double, py::array::c_style>>(
      py::module_::import("numpy").attr("asarray")(numbers, "float64", "C"));
  py::array to(py::dtype(std::string(numpy_name(type))),
               std::vector<py::ssize_t>(from.shape(), from.shape() + from.ndim()));
  const double* values = from.data();
  void* bits = to.mutable_data();
  for (py::ssize_t i = 0; i < from.size(); ++i) {
    const auto v = static_cast<float>(MLNumber(values[i]).to(type).as_double());  // exact
    if (type == bfloat16) static_cast<std::uint16_t*>(bits)[i] = bfloat16_bits(v);
    else static_cast<std::uint8_t*>(bits)[i] = float8e4m3_bits(v);
  }
  return to;
}

py::object converted(py::handle numbers, MLOperandDataType type) {
  if (!ml_dtypes_name(type).empty())
    return rounded_bits(numbers, type).attr("view")(dtype_of(type));
  return py::module_::import("numpy").attr("asarray")(numbers, dtype_of(type));
}

const py::dtype& dtype_of(MLOperandDataType type) {
  // Never destroyed: the interpreter may be gone by then.
  static auto& all =
      *new std::array<std::optional<py::dtype>, enum_names<MLOperandDataType>.size()>;
  std::optional<py::dtype>& dtype = all[static_cast<std::size_t>(type)];
  if (!dtype) dtype = made_dtype(type);
  return *dtype;
}

MLOperandDataType data_type(py::handle object, Where where) {
  py::object name = py::reinterpret_borrow<py::object>(object);
  if (!py::isinstance<py::str>(name))  // a dtype of numpy, or what it makes one of
    name = py::module_::import("numpy").attr("dtype")(name).attr("name");
  const std::string text = py::cast<std::string>(name);
  if (const auto narrow = ml_dtypes_type(text)) return *narrow;
  const auto type = enum_from<MLOperandDataType>(text == "bool" ? "uint8" : text);
  if (!type) where.reject("\"" + escaped(text) + "\" is not a data type");
  return *type;
}

}  // namespace webnn::inline v0_1::python
