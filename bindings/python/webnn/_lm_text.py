"""Tokenizers, templates and sampling of language models. All names are in webnn.lm."""

from __future__ import annotations

import os
from typing import (TYPE_CHECKING, Any, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union)

from ._lm_options import (ChatOptions, DecodeOptions, EncodeOptions, SamplingOptions, _lm,
                          documented)
from .errors import TypeError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    Path = Union[str, "os.PathLike[str]"]
    # A dict with "role" and "content", and further members such as "tool_calls".
    Message = Dict[str, Any]

__all__ = ["ChatTemplate", "Sample", "Sampler", "TokenStream", "Tokenizer"]


class Sample(NamedTuple):
    """A token that a Sampler has chosen. Log probabilities are natural logarithms, of the logits as
    the model gives them."""

    token: int
    log_probability: float
    best: List[Tuple[int, float]]
    """The most probable tokens with theirs, the best first, as many as log_probabilities says."""


class Tokenizer:
    """Converts text to tokens, and tokens to text. Model.tokenizer and Tokenizer.open(path) make
    it. Any thread may use it.

    A pickled tokenizer is the path or the texts that it was made of; the tokenizer of a Model is
    pickled with the model.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        raise TypeError("Tokenizer: it is made by Tokenizer.open() or Tokenizer.from_json().",
                        "Tokenizer")

    @classmethod
    def _of(cls, native, made):
        self = cls.__new__(cls)
        self._native = native
        self._made = made
        return self

    @classmethod
    def open(cls, path: Path) -> Tokenizer:
        """Reads a tokenizer.json, a folder that has it, or a .gguf file.

        Raises OSError if the system cannot open the file, DataError for a file that is broken, and
        NotSupportedError, which names what is not supported.
        """
        path = os.path.abspath(os.fspath(path))
        return cls._of(_lm.Tokenizer.open(path), (cls.open, (path,)))

    @classmethod
    def from_json(cls, tokenizer: str, config: str = "") -> Tokenizer:
        """Reads the texts of tokenizer.json and, if it is not empty, of tokenizer_config.json."""
        return cls._of(_lm.Tokenizer.from_json(tokenizer, config),
                       (cls.from_json, (tokenizer, config)))

    @documented(EncodeOptions)
    def encode(self, text: str, **options: Unpack[EncodeOptions]) -> List[int]:
        """The tokens of a text. Options:"""
        return self._native.encode(text, options)

    @documented(DecodeOptions)
    def decode(self, tokens: Iterable[int], **options: Unpack[DecodeOptions]) -> str:
        """The text of tokens; bytes that are not UTF-8 become U+FFFD. Raises TypeError for a token
        that
        is not in the vocabulary. Options:"""
        return self._native.decode(tokens, options)

    def __len__(self) -> int:
        """One more than the greatest token."""
        return self._native.size()

    def text_of(self, token: int) -> str:
        """The token as the file writes it: "\u0120the". Empty where the file has none."""
        return self._native.text_of(token)

    def find(self, text: str) -> Optional[int]:
        """The token whose text in the file is this one."""
        return self._native.find(text)

    def is_special(self, token: int) -> bool:
        """Whether it has a role, and no text."""
        return self._native.is_special(token)

    @property
    def bos(self) -> Optional[int]:
        """The token that begins a text, if the file names one."""
        return self._native.bos()

    @property
    def eos(self) -> Optional[int]:
        """The token that ends a text, if the file names one."""
        return self._native.eos()

    @property
    def unk(self) -> Optional[int]:
        """The token for unknown text, if the file names one."""
        return self._native.unk()

    @property
    def pad(self) -> Optional[int]:
        """The token for padding, if the file names one."""
        return self._native.pad()

    @property
    def chat_template(self) -> str:
        """The model's template for conversations; empty where the file has none."""
        return self._native.chat_template()

    @documented(ChatOptions)
    def apply_chat_template(self, messages: Iterable[Message],
                            **options: Unpack[ChatOptions]) -> str:
        """The text of a conversation in the model's template.

        Encode it with add_special=False. Raises InvalidStateError if there is no template, and
        TypeError, with the template's message, if it refuses the messages. Options:
        """
        return self._native.apply_chat_template(messages, options)

    def __reduce__(self):
        return self._made

    def __repr__(self):
        return f"<webnn.lm.Tokenizer of {len(self)} tokens>"


class TokenStream:
    """Decodes tokens as they come. A character whose bytes are in several tokens comes as a
    whole."""

    @documented(DecodeOptions)
    def __init__(self, tokenizer: Tokenizer, **options: Unpack[DecodeOptions]) -> None:
        """Options:"""
        self._native = _lm.TokenStream(tokenizer._native, options)

    def put(self, token: int) -> str:
        """The text that the token adds, which may be empty."""
        return self._native.put(token)

    def finish(self) -> str:
        """The rest of the text at the end: U+FFFD for a character that is not complete."""
        return self._native.finish()


class ChatTemplate:
    """A template in Jinja, in the subset that the files of models use.

    Raises DataError, with the line, for a text that is not a template, and NotSupportedError for
    parts of Jinja beyond the subset.
    """

    def __init__(self, text: str) -> None:
        self._native = _lm.ChatTemplate(text)
        self._text = text

    @documented(ChatOptions)
    def apply(self, messages: Iterable[Message], **options: Unpack[ChatOptions]) -> str:
        """The text of a conversation.

        Raises TypeError, with the template's message, if it refuses the messages; DataError if the
        template is wrong; OperationError beyond the limits. Options:
        """
        return self._native.apply(messages, options)

    def __reduce__(self):
        return ChatTemplate, (self._text,)


class Sampler:
    """Chooses tokens, one after the other: the same logits, options and earlier tokens give the
    same tokens."""

    @documented(SamplingOptions)
    def __init__(self, **options: Unpack[SamplingOptions]) -> None:
        """Options:"""
        self._native = _lm.Sampler(options)

    def sample(self, logits: Any, before: Iterable[int] = (), *,
               allowed: Optional[Iterable[bool]] = None) -> Sample:
        """The next token.

        logits: float32, one for each token of the vocabulary. before: the tokens of the prompt and
        those that were chosen. allowed: for each token whether it is possible.
        """
        return Sample(*self._native.sample(logits, before, allowed))

    @property
    def options(self) -> Dict[str, Any]:
        """The options with their values."""
        return self._native.options()
