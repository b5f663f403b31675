"""Operators on operands: x + 1, x @ w, -x, x > y. Numbers and arrays become constants."""

import numbers

import numpy

from ._numbers import are_numbers, other_number
from ._webnn import MLOperand, _converted, _isNumberOf
from .errors import TypeError

__all__ = []

def _refuse(method, what, data_type):
    raise TypeError(f"{method}: {what} not one of {data_type}, the data type of the other operand.",
                    method)


def _operand(x, other, method):
    """A constant of the data type of the operand x, or None if the value cannot become one."""
    if isinstance(other, MLOperand):
        return other
    if isinstance(other, numpy.generic) and not isinstance(other, numbers.Real):
        other = numpy.asarray(other)  # a truth, or a number of ml_dtypes
    if isinstance(other, numbers.Real):
        if not _isNumberOf(x.dataType, other):
            _refuse(method, f"the number ({other}) is", x.dataType)
        return x._builder.constant(x.dataType, other)
    if not isinstance(other, numpy.ndarray):
        return None
    if not are_numbers(other):
        raise TypeError(f"{method}: the array has elements of the type {other.dtype}, which are not "
                        "numbers of an operand.", method)
    if x.dataType in ("int4", "uint4"):
        raise TypeError(f"{method}: there is no array of {x.dataType}, the data type of the other "
                        "operand; dequantizeLinear() makes floats of it.", method)
    number = other_number(other, x.dataType)
    if number is not None:
        _refuse(method, f"the number {number} of the array is", x.dataType)
    descriptor = {"dataType": x.dataType, "shape": other.shape}
    return x._builder.constant(descriptor, _converted(other, x.dataType))


def _named(function, name):
    function.__name__ = name
    function.__qualname__ = f"MLOperand.{name}"
    return function


def _binary(name, method, reflected=False):
    def operator(self, other, /):
        y = _operand(self, other, method)
        if y is None:
            return NotImplemented
        a, b = (y, self) if reflected else (self, y)
        return getattr(self._builder, method)(a, b)
    setattr(MLOperand, name, _named(operator, name))


def _unary(name, method):
    setattr(MLOperand, name,
            _named(lambda self, /: getattr(self._builder, method)(self), name))


def _truth(self, /):
    raise TypeError("MLOperand: its values are known when the graph runs, so that it is neither true "
                    "nor false: logicalAnd(), logicalOr() and where() take the place of and, or, if "
                    "and a < b < c.", "MLOperand")


for _name, _method in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"),
                       ("pow", "pow"), ("matmul", "matmul")):
    _binary(f"__{_name}__", _method)
    _binary(f"__r{_name}__", _method, reflected=True)
for _name, _method in (("gt", "greater"), ("ge", "greaterOrEqual"), ("lt", "lesser"),
                       ("le", "lesserOrEqual")):
    _binary(f"__{_name}__", _method)
_unary("__neg__", "neg")
_unary("__abs__", "abs")
MLOperand.__bool__ = _named(_truth, "__bool__")
# An array on the left asks the operand, and not the operand for each element.
MLOperand.__array_ufunc__ = None
