// Arrays of Python: buffers, and tensors of DLPack.
#pragma once

#include <pybind11/pybind11.h>

#include "webnn/error.h"
#include "webnn/operand.h"

namespace webnn::python {

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
  /// to `expected` if that is given, and what is not contiguous is copied.
  Buffer(py::handle object, Access access, Where where,
         std::optional<MLOperandDataType> expected = std::nullopt);
  Buffer(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  ~Buffer();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  bool read_only() const { return read_only_; }
  /// Of the elements; nothing for types that WebNN does not have.
  std::optional<MLOperandDataType> type() const { return type_; }
  const Dims& shape() const { return shape_; }
  /// Whether it may hold elements of any type: bytes, and arrays of them with one dimension.
  bool is_raw() const { return raw_; }

  /// Throws TypeError unless it has this type and shape, or as many raw bytes.
  void check(const MLOperandDescriptor& d, Where where) const;

 private:
  bool from_buffer(py::handle object, Access access);
  bool from_dlpack(py::handle object, Access access, Where where);
  void from_numpy(py::handle object, Where where, std::optional<MLOperandDataType> expected);

  Py_buffer view_{};
  py::object owner_{};  // a capsule of DLPack, or an array that numpy has made
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  bool read_only_ = false, raw_ = false;
  std::optional<MLOperandDataType> type_{};
  std::string other_type_;  // for messages, where type_ is nothing
  Dims shape_{};
};

/// A new array of numpy. int4 and uint4: bytes, with two elements each.
py::object new_array(const MLOperandDescriptor& d, std::byte** data);

MLOperandDescriptor descriptor(py::handle object, Where where);
MLOperandDataType data_type(py::handle object, Where where);
Dims dims(py::handle object, Where where);
py::tuple to_python(const Dims& shape);
inline py::str to_python(std::string_view s) { return py::str(s.data(), s.size()); }

}  // namespace webnn::python
