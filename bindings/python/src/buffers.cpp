#include "bindings/python/src/buffers.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <limits>

#include "bindings/python/src/dtypes.h"
#include "bindings/python/src/foreign_gil.h"

namespace webnn::inline v0_1::python {
namespace {

std::optional<MLOperandDataType> integer(bool is_signed, std::size_t bytes) {
  switch (bytes) {
    case 1: return is_signed ? int8 : uint8;
    case 4: return is_signed ? int32 : uint32;
    case 8: return is_signed ? int64 : uint64;
    default: return std::nullopt;
  }
}

/// The character for the elements of a buffer; 0 where there is none, or in another byte order:
/// https://docs.python.org/3/library/struct.html#format-characters
char character_of(std::string_view format) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<'))
    format.remove_prefix(1);
  return format.size() == 1 ? format[0] : '\0';
}
std::optional<MLOperandDataType> type_of(char format, std::size_t bytes) {
  switch (format) {
    case 'f': return float32;
    case 'e': return float16;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return integer(true, bytes);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': return integer(false, bytes);
    case '?': return uint8;
    default: return std::nullopt;
  }
}

// https://dmlc.github.io/dlpack/latest/c_api.html

struct DlTensor {
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t rank;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: contiguous
  std::uint64_t byte_offset;
};

constexpr std::uint8_t is_signed = 0, is_unsigned = 1, is_float = 2, is_bfloat = 4, is_bool = 6,
                       is_float8_e4m3fn = 10;

std::optional<MLOperandDataType> type_of(const DlTensor& t) {
  if (t.lanes != 1) return std::nullopt;
  if (t.code == is_float && t.bits == 32) return float32;
  if (t.code == is_float && t.bits == 16) return float16;
  if (t.code == is_bfloat && t.bits == 16) return bfloat16;
  if (t.code == is_float8_e4m3fn && t.bits == 8) return float8e4m3;
  if (t.code == is_signed || t.code == is_unsigned) return integer(t.code == is_signed, t.bits / 8);
  if (t.code == is_bool && t.bits == 8) return uint8;
  return std::nullopt;
}

bool is_contiguous(const DlTensor& t) {
  std::int64_t expected = 1;
  for (std::int32_t d = t.rank; t.strides && d-- > 0;) {
    if (t.shape[d] != 1 && t.strides[d] != expected) return false;
    expected *= t.shape[d];
  }
  return true;
}

std::string shown(const Dims& shape) { return detail::Arg(std::span(shape)).text; }
std::string python_type(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

/// Whether an exception says that something went wrong, and not that the program should end.
bool is_ordinary(const py::error_already_set& e) {
  return e.matches(PyExc_Exception) && !e.matches(PyExc_MemoryError);
}
std::string message_of(const py::error_already_set& e) { return py::str(e.value()); }

/// A type that WebNN does not have.
std::string other_type(py::handle object, std::string_view format) {
  if (py::hasattr(object, "dtype")) return py::str(object.attr("dtype"));
  return format == "d" ? "float64" : "format " + escaped(format);
}

}  // namespace

void Where::reject(const std::string& reason) const {
  throw TypeError(method, "", std::string(argument) + ' ' + reason);
}
void Where::reject_value(const std::string& reason) const {
  throw TypeError(method, "", std::string(argument) + ": " + reason);
}

Buffer::Buffer(py::handle object, Access access, Where where,
               std::optional<MLOperandDataType> expected)
    : has_dtype_(access == Access::read && py::hasattr(object, "dtype")) {
  if (from_buffer(object, access)) return;
  if (const auto type = ml_dtypes_array(object)) {
    from_bits(object, *type, access, where);
    return;
  }
  // An array that is not contiguous, or read-only, has nothing better to offer by DLPack.
  if (!PyObject_CheckBuffer(object.ptr()) && from_dlpack(object, access, where)) return;
  if (access == Access::write) reject_output(object, where);
  from_numpy(object, where, expected);
}
Buffer::Buffer(Buffer&& other) noexcept
    : view_(other.view_),
      owner_(std::move(other.owner_)),
      data_(other.data_),
      size_(other.size_),
      read_only_(other.read_only_),
      raw_(other.raw_),
      bits_(other.bits_),
      has_dtype_(other.has_dtype_),
      type_(other.type_),
      other_type_(std::move(other.other_type_)),
      shape_(std::move(other.shape_)) {
  other.view_ = {};
}
Buffer::~Buffer() {
  if (view_.obj) PyBuffer_Release(&view_);
}

bool Buffer::from_buffer(py::handle object, Access access) {
  if (!PyObject_CheckBuffer(object.ptr())) return false;
  const int flags =
      PyBUF_FORMAT | PyBUF_ND | PyBUF_C_CONTIGUOUS | (access == Access::write ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, flags) != 0) {
    PyErr_Clear();
    view_ = {};
    return false;
  }
  data_ = static_cast<std::byte*>(view_.buf);
  size_ = static_cast<std::size_t>(view_.len);
  read_only_ = view_.readonly != 0;
  const std::string_view format = view_.format ? view_.format : "B";
  const char character = character_of(format);
  type_ = type_of(character, static_cast<std::size_t>(view_.itemsize));
  if (!type_) other_type_ = other_type(object, format);
  raw_ = view_.itemsize == 1 && view_.ndim == 1 && type_ == uint8;
  if (character == 'B' || character == 'H') bits_ = static_cast<int>(8 * view_.itemsize);
  for (int d = 0; d < view_.ndim; ++d) shape_.push_back(static_cast<std::uint32_t>(view_.shape[d]));
  return true;
}

/// numpy gives away no buffer of such an array, but one of its bits.
void Buffer::from_bits(py::handle object, MLOperandDataType type, Access access, Where where) {
  py::object bits = object.attr("view")(to_python(numpy_name(type)));
  if (!from_buffer(bits, access)) {
    if (access == Access::write) reject_output(bits, where);
    bits = bits.attr("copy")("C");
    from_buffer(bits, access);
    read_only_ = true;
  }
  set_type(type);
}
void Buffer::set_type(MLOperandDataType type) {
  type_ = type;
  raw_ = false;
  bits_ = 0;
}

bool Buffer::from_dlpack(py::handle object, Access access, Where where) {
  constexpr std::int32_t cpu = 1, cuda_host = 3;
  if (!py::hasattr(object, "__dlpack__")) return false;
  py::object capsule;
  try {
    capsule = object.attr("__dlpack__")();
  } catch (py::error_already_set& e) {
    if (!is_ordinary(e)) throw;
    if (access == Access::read && py::hasattr(object, "__array__")) return false;
    where.reject('(' + python_type(object) + ") cannot be " +
                 (access == Access::read ? "read: " : "written: ") + message_of(e));
  }
  const void* pointer = PyCapsule_GetPointer(capsule.ptr(), "dltensor");
  if (!pointer) throw py::error_already_set();
  const auto& t = *static_cast<const DlTensor*>(pointer);
  if (t.device_type != cpu && t.device_type != cuda_host) where.reject("is not in main memory");
  if (!is_contiguous(t)) return false;
  type_ = type_of(t);
  if (!type_)
    other_type_ = t.code == is_float && t.bits == 64 ? "float64" : std::to_string(t.bits) + " bits";
  if (t.code == is_unsigned) bits_ = t.bits;
  std::uint64_t count = 1;
  for (std::int32_t d = 0; d < t.rank; ++d) {
    shape_.push_back(static_cast<std::uint32_t>(t.shape[d]));
    count *= static_cast<std::uint64_t>(t.shape[d]);
  }
  data_ = static_cast<std::byte*>(t.data) + t.byte_offset;
  size_ = count * t.bits / 8;
  owner_ = std::move(capsule);  // its end returns the tensor
  return true;
}

void Buffer::from_numpy(py::handle object, Where where, std::optional<MLOperandDataType> expected) {
  // numpy makes a NaN of None, and numbers of text.
  if (object.is_none() || py::isinstance<py::str>(object))
    where.reject('(' + python_type(object) + ") is not an array");
  py::object array;
  bool rounded = false;
  try {
    const py::module_ numpy = py::module_::import("numpy");
    if (!py::hasattr(object, "__array__") && py::hasattr(object, "__dlpack__"))
      array = numpy.attr("from_dlpack")(object);
    else if (expected && !has_dtype_) {  // an array keeps its type
      rounded = !ml_dtypes_name(*expected).empty();
      const bool packed = bits_of(*expected) < 8;  // whose bytes are given
      array = py::module_::import("webnn._numbers")
                  .attr("array_of")(
                      object, to_python(packed ? numpy_name(*expected) : name_of(*expected)),
                      rounded ? py::object(py::none()) : py::object(dtype_of(*expected)));
      if (rounded) array = rounded_bits(array, *expected);
    } else array = numpy.attr("asarray")(object);
    if (!rounded) array = array.attr("copy")("C");
  } catch (py::error_already_set& e) {
    if (!is_ordinary(e)) throw;
    where.reject('(' + python_type(object) + ") cannot be read: " + message_of(e));
  }
  if (const auto type = ml_dtypes_array(array)) from_bits(array, *type, Access::read, where);
  else if (!from_buffer(array, Access::read))
    where.reject('(' + python_type(object) + ") is not an array of numbers, but of " +
                 std::string(py::str(array.attr("dtype"))));
  if (rounded) set_type(*expected);
  owner_ = std::move(array);
  read_only_ = true;
}

void Buffer::reject_output(py::handle object, Where where) {
  const std::string subject = '(' + python_type(object) + ") ";
  if (!PyObject_CheckBuffer(object.ptr())) where.reject(subject + "is not a writable array");
  if (!from_buffer(object, Access::read))
    where.reject(subject + "is not a contiguous array, which an output has to be");
  where.reject(subject + "is read-only, and not a writable array");
}

std::string Buffer::type_name() const { return type_ ? std::string(name_of(*type_)) : other_type_; }

std::string Buffer::advice(std::optional<MLOperandDataType> expected) const {
  if (!expected && other_type_ == "float64") expected = float32;
  if (has_dtype_ && !expected && other_type_.starts_with('>'))  // the other byte order
    return "; astype(\"" + other_type_.substr(1) + "\") converts them";
  if (!expected || !has_dtype_) return {};
  if (const std::string_view name = ml_dtypes_name(*expected); !name.empty())
    return "; astype(ml_dtypes." + std::string(name) + ") converts them";
  return "; astype(\"" + std::string(numpy_name(*expected)) + "\") converts them";
}

Constant shared(Buffer&& buffer) {
  const auto bytes = buffer.bytes();
  const auto release = [](Buffer* gone) {
    if (const ForeignGil gil; gil) delete gone;  // else the process ends
  };
  return {std::shared_ptr<const void>(new Buffer(std::move(buffer)), release), bytes};
}

void Buffer::check_type(MLOperandDataType type, Where where) const {
  const bool same = type_ == type || (!ml_dtypes_name(type).empty() && bits_ == bits_of(type));
  if (!same)
    where.reject("has elements of another type (" + type_name() + ") than " +
                 std::string(name_of(type)) + advice(type));
}

Dims Buffer::shape_as(const MLOperandDescriptor& d, Where where) const {
  if (!is_raw() || (d.dataType == uint8 && d.shape.size() == 1)) {
    check_type(d.dataType, where);
    return shape_;
  }
  MLOperandDescriptor fitting = d;
  const auto open = std::ranges::find(fitting.shape, 0u);
  const bool any_size = open != fitting.shape.end();
  if (any_size) {
    *open = 1;
    const std::uint64_t elements = size_ * 8 / static_cast<std::size_t>(bits_of(d.dataType));
    const std::uint64_t known = element_count(fitting.shape);
    if (known == 0)
      where.reject(
          "is bytes, whose number does not determine the sizes of several dimensions: give an "
          "array that has a shape");
    *open = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(elements / known, std::numeric_limits<std::uint32_t>::max()));
  }
  if (size_ != byte_length(fitting))
    where.reject("is " + std::to_string(size_) + " bytes, which are not those of " +
                 std::string(name_of(d.dataType)) + ' ' + shown(d.shape) +
                 (any_size ? " with any size in place of 0" : ""));
  return fitting.shape;
}

void Buffer::check(const MLOperandDescriptor& d, Where where) const {
  if (is_raw() && size_ == byte_length(d)) return;
  check_type(d.dataType, where);
  if (shape_ != d.shape)
    where.reject("has the shape " + shown(shape_) + ", which is not " + shown(d.shape));
}

py::object new_array(const MLOperandDescriptor& d, std::byte** data) {
  const bool packed = bits_of(d.dataType) < 8;
  py::array array =
      packed ? py::array(dtype_of(d.dataType),
                         std::vector<py::ssize_t>{static_cast<py::ssize_t>(byte_length(d))})
             : py::array(dtype_of(d.dataType),
                         std::vector<py::ssize_t>(d.shape.begin(), d.shape.end()));
  *data = static_cast<std::byte*>(array.mutable_data());
  return array;
}

namespace {

std::uint32_t size_of(py::handle item, Where where) {
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(item.ptr()));
  if (!index) throw py::error_already_set();
  const long long v = PyLong_AsLongLong(index.ptr());
  if (v == -1 && PyErr_Occurred()) throw py::error_already_set();
  if (v < 0 || v > std::numeric_limits<std::uint32_t>::max())
    where.reject("has an item (" + std::to_string(v) + ") out of range");
  return static_cast<std::uint32_t>(v);
}

MLDimension dimension(py::handle item, Where where) {
  if (py::isinstance<py::str>(item)) return py::cast<std::string>(item);
  if (PyIndex_Check(item.ptr())) return size_of(item, where);
  const auto bounds = py::reinterpret_borrow<py::tuple>(item);
  if (!py::isinstance<py::tuple>(item) || bounds.empty() || bounds.size() > 3 ||
      !py::isinstance<py::str>(bounds[0]))
    where.reject("has an item (" + python_type(item) +
                 ") that is neither a size nor a name nor a tuple (name, minSize, maxSize)");
  MLDynamicDimension d{.name = py::cast<std::string>(bounds[0])};
  if (bounds.size() > 1) d.minSize = size_of(bounds[1], where);
  if (bounds.size() > 2) d.maxSize = size_of(bounds[2], where);
  return d;
}

}  // namespace

Dims dims(py::handle object, Where where) {
  Dims all;
  for (const py::handle item : py::iter(object)) all.push_back(size_of(item, where));
  return all;
}

MLDimensions dimensions(py::handle object, Where where) {
  if (py::isinstance<py::str>(object)) where.reject("has a str for its shape, not a list");
  MLDimensions all;
  for (const py::handle item : py::iter(object)) all.push_back(dimension(item, where));
  return all;
}

namespace {

/// A dict with dataType and shape, which `read` reads.
template <class Descriptor>
Descriptor described(py::handle object, Where where,
                     decltype(Descriptor::shape) (*read)(py::handle, Where)) {
  const auto dictionary = py::reinterpret_borrow<py::dict>(object);
  if (!py::isinstance<py::dict>(object)) where.reject("is not a dict with dataType and shape");
  Descriptor d;
  if (!dictionary.contains("dataType")) where.reject("has no dataType");
  d.dataType = data_type(dictionary["dataType"], where);
  if (dictionary.contains("shape")) d.shape = read(dictionary["shape"], where);
  return d;
}

}  // namespace

MLOperandDescriptor descriptor(py::handle object, Where where) {
  return described<MLOperandDescriptor>(object, where, &dims);
}
MLInputOperandDescriptor input_descriptor(py::handle object, Where where) {
  return described<MLInputOperandDescriptor>(object, where, &dimensions);
}

py::tuple to_python(const Dims& shape) {
  py::tuple all(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) all[i] = py::int_(shape[i]);
  return all;
}
py::tuple to_python(const MLDimensions& shape) {
  py::tuple all(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i].is_open()) all[i] = to_python(shape[i].dynamic().name);
    else all[i] = py::int_(shape[i].size());
  return all;
}

std::string shown(const MLDimensions& shape) {
  std::string s;
  for (const MLDimension& d : shape)
    s += (s.empty() ? "" : ", ") +
         (d.is_open() ? escaped(d.dynamic().name) : std::to_string(d.size()));
  return '[' + s + ']';
}

}  // namespace webnn::inline v0_1::python
