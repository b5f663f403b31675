"""Writes .gguf files: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md"""

import struct

import numpy as np

ALIGNMENT = 32


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def typed(value):
    """The number of the type, and the bytes."""
    if isinstance(value, bool):
        return 7, struct.pack("<?", value)
    if isinstance(value, int):
        return 4, struct.pack("<I", value)
    if isinstance(value, float):
        return 6, struct.pack("<f", value)
    if isinstance(value, str):
        return 8, text(value)
    kind = 5 if isinstance(value[0], int) else typed(value[0])[0]
    items = [struct.pack("<i", v) if kind == 5 else typed(v)[1] for v in value]
    return 9, struct.pack("<IQ", kind, len(value)) + b"".join(items)


def write_gguf(path, metadata, tensors):
    """`tensors`: arrays of float32 or float16 by name."""
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(metadata))
    for name, value in metadata.items():
        kind, data = typed(value)
        head += text(name) + struct.pack("<I", kind) + data
    body = b""
    for name, a in tensors.items():
        head += text(name) + struct.pack("<I", a.ndim) + struct.pack(f"<{a.ndim}Q", *a.shape[::-1])
        head += struct.pack("<IQ", {np.float32: 0, np.float16: 1}[a.dtype.type], len(body))
        body += a.tobytes() + bytes(-a.nbytes % ALIGNMENT)
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + body)
