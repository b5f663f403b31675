"""Numbers that become elements of a data type: none becomes another one unnoticed."""

import builtins

import numpy

from ._webnn import _isNumberOf

__all__ = ["are_numbers", "array_of", "other_number"]

_NARROW = ("bfloat16", "float8_e4m3fn")  # of ml_dtypes, whose kinds numpy does not know


def are_numbers(values):
    """Whether the elements of an array are numbers, and not complex ones."""
    return values.dtype.kind in "biuf" or values.dtype.name in _NARROW


def other_number(values, data_type):
    """A number of an array that the data type does not have: floats are rounded to nearest, but no
    integer is rounded, and nothing finite becomes infinite. None where there is none."""
    integers = values.dtype.kind in "bui"
    if not integers:
        wide = numpy.asarray(values, "float64")
        if "int" in data_type:
            different = wide[wide != numpy.trunc(wide)]  # NaN is among them, infinity is not
            if different.size:
                return float(different[0])
        infinite = wide[numpy.isinf(wide)]
        if infinite.size and not _isNumberOf(data_type, float(infinite[0])):
            return float(infinite[0])
        values = wide[numpy.isfinite(wide)]
    if values.size:
        for number in (values.min(), values.max()):
            number = int(number) if integers else float(number)
            if not _isNumberOf(data_type, number):
                return number
    return None


def array_of(numbers, data_type, dtype):
    """An array of a dtype, or as it is for None, of what has no dtype, such as a list. Floats are
    rounded to nearest, large ones to infinity."""
    values = numpy.asarray(numbers)
    if values.size and not are_numbers(values):
        raise builtins.TypeError(f"elements of the type {values.dtype} are not numbers")
    number = other_number(values, data_type) if "int" in data_type else None
    if number is not None:
        raise builtins.TypeError(f"the number {number} is not one of {data_type}")
    return values if dtype is None else values.astype(dtype)
