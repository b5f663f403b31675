"""Operators on operands: x + 1, x @ w, -x, x > y. Numbers and arrays become constants."""

import numbers

import numpy

from ._webnn import MLOperand, _converted

__all__ = []


def _operand(x, other):
    """A constant of the data type of the operand x, or None if the value cannot become one."""
    if isinstance(other, MLOperand):
        return other
    if isinstance(other, numbers.Real):
        return x._builder.constant(x.dataType, other)
    if isinstance(other, numpy.ndarray) and x.dataType not in ("int4", "uint4"):
        descriptor = {"dataType": x.dataType, "shape": other.shape}
        return x._builder.constant(descriptor, _converted(other, x.dataType))
    return None


def _binary(method, reflected=False):
    def operator(x, other):
        y = _operand(x, other)
        if y is None:
            return NotImplemented
        a, b = (y, x) if reflected else (x, y)
        return getattr(x._builder, method)(a, b)
    return operator


def _unary(method):
    return lambda x: getattr(x._builder, method)(x)


for _name, _method in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("truediv", "div"),
                       ("pow", "pow"), ("matmul", "matmul")):
    setattr(MLOperand, f"__{_name}__", _binary(_method))
    setattr(MLOperand, f"__r{_name}__", _binary(_method, reflected=True))
for _name, _method in (("gt", "greater"), ("ge", "greaterOrEqual"), ("lt", "lesser"),
                       ("le", "lesserOrEqual")):
    setattr(MLOperand, f"__{_name}__", _binary(_method))
MLOperand.__neg__ = _unary("neg")
MLOperand.__abs__ = _unary("abs")
# An array on the left asks the operand, and not the operand for each element.
MLOperand.__array_ufunc__ = None
