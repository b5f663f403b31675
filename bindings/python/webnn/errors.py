"""The exceptions of the specification. Each has the operator, its label and the reason."""

import builtins
from typing import Any, Tuple

# Without TypeError, which would take the place of Python's own.
__all__ = ["AbortError", "DataError", "Error", "InvalidStateError", "NotSupportedError",
           "OperationError", "UnknownError"]


class Error(Exception):
    """The base class of all exceptions of webnn."""

    def __init__(self, message: str, op: str = "", label: str = "", reason: str = "") -> None:
        super().__init__(message)
        self.op = op
        self.label = label
        self.reason = reason or message

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), (str(self), self.op, self.label, self.reason)


class TypeError(Error, builtins.TypeError):
    """An argument breaks a rule."""


class InvalidStateError(Error):
    """A context, graph or tensor was destroyed, or a builder has built its graph."""


class NotSupportedError(Error, NotImplementedError):
    """A backend, a format or a feature does not exist or is not supported."""


class OperationError(Error, RuntimeError):
    """Building or running failed."""


class UnknownError(Error, RuntimeError):
    """An error without a more specific class."""


class DataError(Error, ValueError):
    """A file is wrong."""


class AbortError(Error):
    """Work stopped because it was asked to stop."""
