// Arrays of Python: buffers, and tensors of DLPack.
#pragma once

#include <pybind11/pybind11.h>

#include "webnn/error.h"
#include "webnn/operand.h"

namespace webnn::inline v0_1::python {

namespace py = pybind11;

/// An argument of a method, for messages.
struct Where {
  std::string_view method, argument;

  [[noreturn]] void reject(const std::string& reason) const;
  /// A reason with a subject: `"" is not a list`.
  [[noreturn]] void reject_value(const std::string& reason) const;
};

enum class Access : std::uint8_t { read, write };

/// The memory of an array, which stays where it is as long as this lives. Needs the GIL, also to
/// end.
class Buffer {
 public:
  /// Whatever has the buffer protocol or DLPack. To read it, other objects are converted by numpy,
  /// to `expected` if that is given, and what is not contiguous is copied. Throws TypeError for
  /// what cannot be read, and for what is read-only or not contiguous and is to be written.
  Buffer(py::handle object, Access access, Where where,
         std::optional<MLOperandDataType> expected = std::nullopt);
  Buffer(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  ~Buffer();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Whether nobody else writes it: the array is read-only, or a copy.
  bool read_only() const { return read_only_; }
  /// The type of the elements; nothing for types that WebNN does not have.
  std::optional<MLOperandDataType> type() const { return type_; }
  /// The name of the type for messages.
  std::string type_name() const;
  /// How a caller gets elements of a type that WebNN has, for messages: nothing, or a sentence
  /// behind a semicolon.
  std::string advice(std::optional<MLOperandDataType> expected) const;
  const Dims& shape() const { return shape_; }
  /// Whether it may hold elements of any type: bytes, and arrays of them with one dimension.
  bool is_raw() const { return raw_; }

  /// Throws TypeError unless it has this type and shape, or as many raw bytes.
  void check(const MLOperandDescriptor& d, Where where) const;
  /// The shape of an input that is open where `d` has 0. Throws TypeError unless it has this type,
  /// and for raw bytes whose number does not say the shape.
  Dims shape_as(const MLOperandDescriptor& d, Where where) const;

 private:
  void check_type(MLOperandDataType type, Where where) const;
  bool from_buffer(py::handle object, Access access);
  bool from_dlpack(py::handle object, Access access, Where where);
  void from_bits(py::handle object, MLOperandDataType type, Access access, Where where);
  void set_type(MLOperandDataType type);
  void from_numpy(py::handle object, Where where, std::optional<MLOperandDataType> expected);
  [[noreturn]] void reject_output(py::handle object, Where where);

  Py_buffer view_{};
  py::object owner_{};  // a capsule of DLPack, or an array that numpy has made
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool read_only_ = false, raw_ = false;
  int bits_ = 0;  // of an element, where it is an unsigned integer
  bool has_dtype_ = false;
  std::optional<MLOperandDataType> type_{};
  std::string other_type_;  // for messages, where type_ is nothing
  Dims shape_{};
};

/// A constant that shares the array, which lives as long as anything needs its values.
Constant shared(Buffer&& buffer);

/// A new array of numpy. int4 and uint4: bytes, with two elements each.
py::object new_array(const MLOperandDescriptor& d, std::byte** data);

MLOperandDescriptor descriptor(py::handle object, Where where);
MLInputOperandDescriptor input_descriptor(py::handle object, Where where);
MLOperandDataType data_type(py::handle object, Where where);
Dims dims(py::handle object, Where where);
/// Sizes, and names: a str, or a tuple of a name, minSize and maxSize.
MLDimensions dimensions(py::handle object, Where where);
py::tuple to_python(const Dims& shape);
py::tuple to_python(const MLDimensions& shape);
/// As messages print it: "[batch, 3]".
std::string shown(const MLDimensions& shape);
inline py::str to_python(std::string_view s) { return py::str(s.data(), s.size()); }

}  // namespace webnn::inline v0_1::python
