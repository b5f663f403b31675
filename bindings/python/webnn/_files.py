"""What the system says of files, as OSError: FileNotFoundError, PermissionError, and so on."""

import errno
import os
import stat

__all__ = ["check_readable", "check_readable_if_named", "check_writable"]


def _error(code, path):
    return OSError(code, os.strerror(code), path)


def check_readable(path):
    """Raises OSError if the path is not a file that can be read."""
    path = os.fspath(path)
    # A pipe does not wait for its writer.
    file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise _error(errno.EISDIR, path)
    finally:
        os.close(file)


def check_readable_if_named(path):
    """The same, unless the name is empty. It is bytes."""
    if path:
        check_readable(os.fsdecode(path))


def check_writable(path):
    """Raises OSError if the path cannot become a file, or be replaced by one."""
    path = os.fspath(path)
    folder = os.path.dirname(os.path.realpath(path))
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        mode = os.stat(folder).st_mode
        if not stat.S_ISDIR(mode):
            raise _error(errno.ENOTDIR, path) from None
    if os.path.isdir(path):
        raise _error(errno.EISDIR, path)
    place = folder if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else path
    if not os.access(place, os.W_OK):
        raise _error(errno.EACCES, path)
