"""readImage(), which uses Pillow for formats that this build has no decoder for."""

from __future__ import annotations

import io
import os
import tempfile
from typing import TYPE_CHECKING, Any

from . import _webnn
from .errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["readImage"]

_MISSING = "this webnn was built without"


def readImage(path: str | os.PathLike[str], channels: int, width: int, height: int) -> NDArray[Any]:
    """A PNG, JPEG or BMP file, resized and cropped to [height, width, channels] of float32.

    Wheels have no decoders for PNG and JPEG: in them, Pillow reads these files.
    """
    try:
        return _webnn.readImage(path, channels, width, height)
    except DataError as error:
        if _MISSING not in str(error):
            raise
        try:
            from PIL import Image  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise DataError(f"{str(error).rstrip('.')}, and Pillow, which reads it too, is not "
                            "installed.", error.op, error.label, error.reason) from error
        with Image.open(path) as image:
            # Colors and shades as they are; a BMP file has no transparency.
            plain = image.convert("L" if image.mode in ("1", "L", "I;16") else "RGB")
        pixels = io.BytesIO()
        plain.save(pixels, "BMP")
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "image.bmp")
            with open(name, "wb") as file:
                file.write(pixels.getvalue())
            return _webnn.readImage(name, channels, width, height)
