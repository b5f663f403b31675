"""Texts of a language model that are generated together. All names are in webnn.lm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._lm_options import GenerateOptions, _lm, documented
from ._lm_text import Sample
from .errors import TypeError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .lm import Cache

__all__ = ["Batch", "GeneratedText", "Report"]


class Report(NamedTuple):
    """What a generation has done so far."""

    prompt_tokens: int
    """Tokens of the prompt."""
    cached_tokens: int
    """How many of them were in the cache."""
    tokens: int
    """Tokens that were generated, the one that ended it included."""
    prompt_seconds: float
    """Until the logits of the first token were there."""
    seconds: float
    """From then on, while tokens were computed."""
    finish_reason: str
    """none: it has not ended; end: a token of the model; stop: a text or token of the options;
    length: max_tokens; capacity: the cache is full; canceled: it has left a Batch."""
    prompt_tokens_per_second: float
    """Those of the prompt that were not in the cache."""
    tokens_per_second: float
    """Those after the first one, which follows from the prompt."""


class GeneratedText(NamedTuple):
    """The text of a prompt, with its tokens and a report."""

    text: str
    tokens: List[int]
    report: Report
    samples: List[Sample]
    """Its tokens with their probabilities, if the option log_probabilities is not 0."""


class Batch:
    """Sequences that are generated together; Model.batch() makes it. A step computes the next token
    of all of them, which takes little longer than the next token of one. When a sequence ends, the
    next prompt that waits takes its place. No bit of a text depends on what else is in the batch.

        batch = model.batch(sequences=4)
        for prompt in prompts:
            batch.add(prompt, max_tokens=64)
        for number, piece in batch:
            ...

    Any thread may add and cancel at any time; other calls of several threads wait for each other.
    """

    def __init__(self, native: Any) -> None:
        if not isinstance(native, _lm.Batch):
            raise TypeError("Batch: it is made by Model.batch().", "Batch")
        self._native = native

    @documented(GenerateOptions)
    def add(self, prompt: Union[str, Sequence[int]], *, cache: Optional[Cache] = None,
            **options: Unpack[GenerateOptions]) -> int:
        """Adds a prompt, which begins as soon as there is room. Returns its number: 0 for the first
        one.

        The batch reads a fork of the cache, and does not compute again what the cache has in common
        with the beginning of the prompt. Raises what Model.generate() raises. Options, whose
        defaults are those of Model.defaults:
        """
        if cache is not None and not hasattr(cache, "_native"):
            raise TypeError(f"add: cache ({cache!r}) is not a Cache.", "add")
        return self._native.add(prompt, None if cache is None else cache._native, options)

    def cancel(self, sequence: int) -> None:
        """Removes the sequence from the batch before the next step. Nothing happens if it has
        ended."""
        self._native.cancel(sequence)

    def stop(self) -> None:
        """Ends a step that another thread computes, with AbortError; it can be tried again."""
        self._native.stop()

    def next(self) -> Optional[Tuple[int, str]]:
        """The number of a sequence and its next piece of text, in the order in which they are
        computed; None when all have ended.

        Raises the error that ends a sequence, which has then left the batch; the others go on.
        """
        return self._native.next()

    def __iter__(self) -> Iterator[Tuple[int, str]]:
        """All pieces, until all sequences have ended."""
        return iter(self.next, None)

    def __len__(self) -> int:
        """The number of prompts that were added."""
        return self._native.size()

    def __bool__(self) -> bool:
        return True

    @property
    def running(self) -> int:
        """The number of sequences that have begun and have not ended."""
        return self._native.running()

    @property
    def waiting(self) -> int:
        """The number of prompts that have not begun."""
        return self._native.waiting()

    def text(self, sequence: int) -> str:
        """All pieces of a sequence so far. Raises TypeError for a number that no prompt has."""
        return self._native.text(sequence)

    def tokens(self, sequence: int) -> List[int]:
        """The tokens of a sequence so far."""
        return self._native.tokens(sequence)

    def samples(self, sequence: int) -> List[Sample]:
        """The same with their probabilities, if the option log_probabilities is not 0."""
        return [Sample(*s) for s in self._native.samples(sequence)]

    def report(self, sequence: int) -> Report:
        """Counts of tokens, tokens per second, and the reason why it has ended."""
        return Report(**self._native.report(sequence))

    def forget(self, sequence: int) -> None:
        """Forgets the text and the tokens of a sequence that has ended, for a batch that runs
        forever."""
        self._native.forget(sequence)

    def _run(self, prompts, options) -> List[GeneratedText]:
        if isinstance(prompts, str):
            raise TypeError("generate_all: prompts is one str, not several.", "generate_all")
        numbers = [self._native.add(p, None, options) for p in prompts]
        while self._native.next() is not None:
            pass
        return [GeneratedText(self.text(n), self.tokens(n), self.report(n), self.samples(n))
                for n in numbers]
