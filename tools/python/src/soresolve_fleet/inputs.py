"""A place to scan, by path or URI, as something on this node's disk; and what its content is called.

A path is used where it lies. Of a URI (s3://, gs://, https://, whatever fsspec has) the file is copied; of an OCI
layout each blob once for the node, by its digest, so that images over one base share its layers. Standard library, and
fsspec where there is a URI.
"""
import hashlib
import json
import os
import re
import shutil
import stat

from soresolve_fleet import private

_DIGEST = re.compile(r"^sha256:([0-9a-f]{64})$")
_MOST_MANIFEST = 8 << 20
_STEP = 1 << 20
_KINDS = {"wheel": (".whl",), "package": (".deb", ".rpm", ".conda", ".tar.bz2"), "snapshot": (".srs",)}  # else an image


class NotFetched(Exception):
    """A sentence: why there is no such place on this node."""


class Place:
    """`identity`: a name that equal content shares; None where nothing says so."""

    def __init__(self, path, kind, identity=None, state=None):
        self.path = path
        self.kind = kind
        self.identity = identity
        self._state = state

    def is_as_it_was(self):
        """Is what lies there what `identity` was made from?"""
        return self._state is not None and state_of(self.path) == self._state

    @property
    def is_image(self):
        return self.kind == "image"


def fetch(uri, folder, cache):
    """The place that `uri` names. Copies go to folder.path(), blobs to `cache`, a directory; without one its content gets no
    name. Raises NotFetched."""
    if uri.startswith("file://"):
        uri = uri[len("file://"):]
    if "://" not in uri and "::" not in uri:
        if not os.path.exists(uri):
            raise NotFetched(f"{uri}: no such file or directory on this node")
        return _described(uri, cache, is_copy=False)
    try:
        import fsspec
    except ImportError:
        raise NotFetched(f"{uri}: fsspec is not installed on this node: pip install fsspec") from None
    folder = folder.path()
    try:
        files, path = fsspec.core.url_to_fs(uri)
        # By its own name: that of a wheel says for which Python it is.
        target = os.path.join(folder, "place", os.path.basename(path.rstrip("/")) or "root")
        os.mkdir(os.path.dirname(target))
        if not files.isdir(path):
            files.get_file(path, target)
        elif files.exists(path + "/oci-layout"):
            _fetch_layout(files, path, target, cache or folder)
        else:
            files.get(path, target, recursive=True)
    except NotFetched:
        raise
    except Exception as error:  # each file system of fsspec raises errors of its own
        raise NotFetched(f"{uri}: {type(error).__name__}: {error}") from None
    return _described(target, cache, is_copy=True)


def _described(path, cache, is_copy):
    """What is copied is named by its content: all of it was read, and the digests of a layout's blobs were compared. What
    lies here is named by the files themselves, where reading them all would take as long as judging does: what names its
    layers (index.json, the manifest of `docker save`) does not say what is in them."""
    kind, source = next((kind for kind, endings in _KINDS.items() if path.lower().endswith(endings)), "image"), path
    is_read = is_copy or kind != "image"
    if os.path.isdir(path):
        source = os.path.join(path, "index.json")
        if not os.path.exists(os.path.join(path, "oci-layout")) or not os.path.exists(source):
            return Place(path, "image" if os.path.exists(os.path.join(path, "manifest.json")) else "root")
        kind, is_read = "image", is_copy
    state = state_of(path) if cache else None
    if state is None:
        return Place(path, kind)
    if not is_read:
        return Place(path, kind, "files:" + hashlib.sha256(repr(state).encode()).hexdigest(), state)
    with open(source, "rb") as file:
        return Place(path, kind, "sha256:" + private.digest_of(file), state)


def state_of(path):
    """(device, inode, size, mtime, ctime) of the file, or of each file below the directory, with its name. None: some of
    it cannot be looked at."""
    found = []

    def add(name):
        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode):
            raise OSError
        found.append((os.path.relpath(name, path), status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns,
                      status.st_ctime_ns))

    def fail(error):
        raise error

    try:
        if not os.path.isdir(path):
            add(path)
        else:
            for folder, names, files in os.walk(path, onerror=fail):
                if any(os.path.islink(os.path.join(folder, name)) for name in names):
                    return None
                for name in files:
                    add(os.path.join(folder, name))
    except OSError:
        return None
    return sorted(found)


def _fetch_layout(files, path, target, cache):
    """index.json, then each blob that it leads to: from the cache, else from there."""
    os.makedirs(os.path.join(target, "blobs", "sha256"))
    for name in ("oci-layout", "index.json"):
        with open(os.path.join(target, name), "wb") as file:
            file.write(files.cat_file(f"{path}/{name}"))
    with open(os.path.join(target, "index.json"), "rb") as file:
        todo = list(json.load(file).get("manifests", []))
    done = set()
    while todo:
        descriptor = todo.pop()
        match = _DIGEST.match(str(descriptor.get("digest")))
        if not match:
            raise NotFetched(f"{path}: a digest that is not SHA-256: {descriptor.get('digest')}")
        digest = match[1]
        if digest in done:
            continue
        done.add(digest)
        kept = _blob(files, f"{path}/blobs/sha256/{digest}", digest, cache)
        try:
            os.link(kept, os.path.join(target, "blobs", "sha256", digest))
        except OSError:  # another file system
            shutil.copyfile(kept, os.path.join(target, "blobs", "sha256", digest))
        if "manifest" in str(descriptor.get("mediaType")) or "index" in str(descriptor.get("mediaType")):
            with open(kept, "rb") as file:
                document = json.loads(file.read(_MOST_MANIFEST))
            todo += document.get("manifests", []) + document.get("layers", [])
            if "config" in document:
                todo.append(document["config"])


def _blob(files, source, digest, cache):
    """The path of a blob in the cache, whole and with this digest. Raises NotFetched."""
    folder = private.folder(os.path.join(cache, "blobs"))
    kept = folder.open(digest)
    if kept is not None:
        kept.close()
        return os.path.join(folder.path, digest)

    def write(into):
        read = hashlib.sha256()
        with files.open(source, "rb") as file:
            for piece in iter(lambda: file.read(_STEP), b""):
                read.update(piece)
                into.write(piece)
        if read.hexdigest() != digest:
            raise NotFetched(f"{source}: its SHA-256 is {read.hexdigest()}")

    return folder.put(digest, write)
