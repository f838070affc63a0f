"""Directories and files that nobody but this user can have made: what lies below a shared directory (/tmp) is read, used
or executed by way of this alone.

A directory is accepted that is no link, belongs to the caller and that others cannot write; it is made, or becomes, 0700. In it, a
file counts that is a regular one, no link, the caller's, and that others cannot write. Both are looked at once they are
open, and a file is opened below the directory's descriptor: what a path means may change between two looks, what is open
may not. In place of a directory that is somebody else's a new one is taken, which ends with this process. Standard library
only: of this module Ray sends the source along.
"""
import atexit
import hashlib
import os
import secrets
import shutil
import stat
import tempfile

_STEP = 1 << 20
_NEW = {}  # what stands in place of a directory that is somebody else's
_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # a FIFO is opened, and refused


class Folder:
    """An accepted directory, open. Raises OSError: there is none, or it is not the caller's alone."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self._descriptor = os.open(self.path, _FLAGS | os.O_DIRECTORY)
        status = os.fstat(self._descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise PermissionError(f"{self.path} belongs to somebody else, or others can write it")
        if stat.S_IMODE(status.st_mode) != 0o700:
            os.fchmod(self._descriptor, 0o700)

    def __del__(self):
        if hasattr(self, "_descriptor"):
            os.close(self._descriptor)

    def open(self, name):
        """The file, open, or None: it is not there, or somebody else can have written it."""
        try:
            descriptor = os.open(name, _FLAGS, dir_fd=self._descriptor)
        except OSError:
            return None
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
            os.close(descriptor)
            return None
        return os.fdopen(descriptor, "rb")

    def put(self, name, write, mode=0o600):
        """The path of a file that write(file) has filled: whole, or not at all."""
        part = f".{secrets.token_hex(8)}"
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600, dir_fd=self._descriptor)
        try:
            with os.fdopen(descriptor, "wb") as file:
                write(file)
                os.fchmod(file.fileno(), mode)
            os.replace(part, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except BaseException:
            os.unlink(part, dir_fd=self._descriptor)
            raise
        return os.path.join(self.path, name)

    def put_content(self, digest, data, name=None, mode=0o600):
        """The path of a file with this SHA-256; `data()` is asked for where it is not there, or has another one. Raises
        OSError or ValueError."""
        name = name or digest
        file = self.open(name)
        if file is not None:
            with file:
                if digest_of(file) == digest:
                    return os.path.join(self.path, name)
        content = data()
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError(f"{name}: its SHA-256 is not {digest}")
        return self.put(name, lambda into: into.write(content), mode)


def folder(path):
    """The Folder `path`, made if it is not there; where it is not the caller's alone, a new one of this process."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        return Folder(path)
    except OSError:
        return Folder(_new(path))


def of_user():
    """The Folder of this user on this machine."""
    return folder(os.path.join(tempfile.gettempdir(), f"soresolve-fleet-{os.geteuid()}"))


def _new(path):
    if path not in _NEW:
        _NEW[path] = tempfile.mkdtemp(prefix="soresolve-fleet-")
        atexit.register(shutil.rmtree, _NEW[path], ignore_errors=True)
    return _NEW[path]


def digest_of(file):
    """SHA-256 of the rest of an open file."""
    read = hashlib.sha256()
    for piece in iter(lambda: file.read(_STEP), b""):
        read.update(piece)
    return read.hexdigest()
