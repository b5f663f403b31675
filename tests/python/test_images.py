"""Images that the build has no decoder for are read by Pillow, where it is installed."""

import struct
import sys
import types

import numpy
import pytest
import webnn
from webnn import _images


def _bmp(width, height, color):
    row = bytes(reversed(color)) * width
    row += bytes(-len(row) % 4)
    size = 54 + len(row) * height
    return (b"BM" + struct.pack("<IHHI", size, 0, 0, 54) +
            struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(row) * height, 0, 0, 0, 0) +
            row * height)


@pytest.fixture(name="png")
def _png(tmp_path, monkeypatch):
    """A file that the extension module refuses as one without libpng does."""
    read = _images._webnn.readImage

    def without_png(path, *size):
        if str(path).endswith(".png"):
            raise webnn.DataError(f"readImage [{path}]: {path}: this webnn was built without libpng.",
                                  "readImage", str(path))
        return read(path, *size)

    monkeypatch.setattr(_images, "_webnn", types.SimpleNamespace(readImage=without_png))
    path = tmp_path / "red.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    return path


def test_without_pillow_the_message_names_it(png, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(webnn.DataError, match="without libpng, and Pillow.*not installed"):
        webnn.readImage(png, 3, 4, 4)


def test_pillow_reads_what_the_build_cannot(png, monkeypatch):
    class Picture:
        mode = "RGBA"

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def convert(self, mode):
            assert mode == "RGB"
            return self

        def save(self, file, kind):
            assert kind == "BMP"
            file.write(_bmp(4, 4, (255, 0, 128)))

    pillow = types.ModuleType("PIL")
    pillow.Image = types.SimpleNamespace(open=lambda path: Picture())
    monkeypatch.setitem(sys.modules, "PIL", pillow)
    pixels = webnn.readImage(png, 3, 2, 2)
    assert pixels.shape == (2, 2, 3)
    assert numpy.array_equal(pixels[0, 0], [255, 0, 128])


def test_other_errors_stay(tmp_path):
    path = tmp_path / "none.png"
    path.write_bytes(b"no image")
    with pytest.raises(webnn.DataError) as error:
        webnn.readImage(path, 3, 4, 4)
    assert "Pillow" not in str(error.value)
