"""The options of language models, for type checkers and docstrings."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict, Iterable, List, Optional, TypedDict, TypeVar, Union

try:
    from ._webnn import _lm
except ImportError:
    raise ModuleNotFoundError(
        "webnn was built without language models, which need PCRE2, utf8proc and nlohmann-json.",
        name="webnn.lm") from None

__all__ = ["ChatOptions", "DecodeOptions", "EncodeOptions", "GenerateOptions", "LoadOptions",
           "SamplingOptions", "documented"]


class LoadOptions(TypedDict, total=False):
    capacity: int
    cache_type: str
    batch: int
    release_rows: bool


class GenerateOptions(TypedDict, total=False):
    max_tokens: int
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    repetition_penalty: float
    repetition_window: int
    seed: int
    stop: Union[str, Iterable[str]]
    stop_tokens: Iterable[int]
    ignore_end: bool
    bias: Dict[int, float]
    grammar: str
    json_schema: Union[str, Dict[str, Any]]
    log_probabilities: int


class SamplingOptions(TypedDict, total=False):
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    repetition_penalty: float
    repetition_window: int
    seed: int
    bias: Dict[int, float]
    log_probability: bool
    log_probabilities: int


class EncodeOptions(TypedDict, total=False):
    add_special: bool
    parse_special: bool


class DecodeOptions(TypedDict, total=False):
    skip_special: bool


class ChatOptions(TypedDict, total=False):
    add_generation_prompt: bool
    tools: Union[str, List[Any], None]
    variables: Union[str, Dict[str, Any], None]
    bos_token: str
    eos_token: str
    time: Optional[int]
    max_steps: int
    max_bytes: int


_F = TypeVar("_F", bound=Callable[..., Any])


def documented(options: Any) -> Callable[[_F], _F]:
    """Adds a list of the options to the docstring."""
    def add(f: _F) -> _F:
        lines = [f"  {name}: {about} It is {default!r} by default."
                 for name, about, default in _lm.options[options.__name__]]
        f.__doc__ = f"{inspect.cleandoc(f.__doc__)}\n\n" + "\n".join(lines)
        return f
    return add
