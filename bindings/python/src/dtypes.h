// Data types as numpy has them. bfloat16 and float8e4m3 are those of ml_dtypes, where it is
// installed.
#pragma once

#include <pybind11/numpy.h>

#include "bindings/python/src/buffers.h"

namespace webnn::inline v0_1::python {

/// The type of numpy itself: that of the bits, where it has no other.
std::string_view numpy_name(MLOperandDataType type);
/// The name in ml_dtypes; empty for types that numpy has.
std::string_view ml_dtypes_name(MLOperandDataType type);
/// The type of an array of numpy whose elements are of a type of ml_dtypes.
std::optional<MLOperandDataType> ml_dtypes_array(py::handle object);
/// The type of arrays that are made: that of ml_dtypes where numpy has none and it is installed.
const py::dtype& dtype_of(MLOperandDataType type);
/// Numbers as an array with elements of that type.
py::object converted(py::handle numbers, MLOperandDataType type);
/// Numbers, rounded to a type that numpy does not have: an array of their bits.
py::array rounded_bits(py::handle numbers, MLOperandDataType type);

}  // namespace webnn::inline v0_1::python
