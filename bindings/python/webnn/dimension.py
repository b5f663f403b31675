"""Dimensions whose sizes each run of a graph chooses."""

from typing import NamedTuple

__all__ = ["Dimension"]


class Dimension(NamedTuple):
    """A dimension of an input with a name in place of a size, and the sizes that a run may choose.

    builder.input("x", "float32", [Dimension("batch", maxSize=64), 3]). Without bounds, the name
    alone is enough: ["batch", 3]. A minSize of 0 admits an empty array.
    """

    name: str
    minSize: int = 1
    maxSize: int = 2**31 - 1
