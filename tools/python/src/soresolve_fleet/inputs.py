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
import tarfile
import tempfile

_DIGEST = re.compile(r"^sha256:([0-9a-f]{64})$")
_MOST_MANIFEST = 8 << 20
_STEP = 1 << 20


class NotFetched(Exception):
    """A sentence: why there is no such place on this node."""


class Place:
    """`identity`: a name that equal content shares, None where nothing says so."""

    def __init__(self, path, kind, identity):
        self.path = path
        self.kind = kind
        self.identity = identity

    @property
    def is_image(self):
        return self.kind == "image"


def fetch(uri, folder, cache):
    """The place that `uri` names. Copies go to folder.path(), blobs to `cache`. Without a cache its content gets
    no name where that takes reading all of it. Raises NotFetched."""
    if uri.startswith("file://"):
        uri = uri[len("file://"):]
    if "://" not in uri and "::" not in uri:
        if not os.path.exists(uri):
            raise NotFetched(f"{uri}: no such file or directory on this node")
        return _described(uri, cache)
    try:
        import fsspec
    except ImportError:
        raise NotFetched(f"{uri}: fsspec is not installed on this node: pip install fsspec") from None
    folder = folder.path()
    try:
        files, path = fsspec.core.url_to_fs(uri)
        target = os.path.join(folder, "place-" + os.path.basename(path.rstrip("/")))
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
    return _described(target, cache)


def _described(path, cache):
    if os.path.isdir(path):
        index = os.path.join(path, "index.json")
        if os.path.exists(os.path.join(path, "oci-layout")) and os.path.exists(index):
            with open(index, "rb") as file:
                manifests = json.loads(file.read(_MOST_MANIFEST)).get("manifests", [])
            return Place(path, "image", "oci:" + ",".join(sorted(str(one.get("digest")) for one in manifests)))
        return Place(path, "image" if os.path.exists(os.path.join(path, "manifest.json")) else "root", None)
    name = path.lower()
    if name.endswith(".whl"):
        return Place(path, "wheel", _of_file(path) if cache else None)
    if name.endswith((".deb", ".rpm", ".conda", ".tar.bz2")):
        return Place(path, "package", _of_file(path) if cache else None)
    if name.endswith(".srs"):
        return Place(path, "snapshot", _of_file(path) if cache else None)
    return Place(path, "image", _of_docker_save(path))


def _of_docker_save(path):
    """`docker save`, as it is stored: the digest that the configuration has; it names the digests of all layers."""
    try:
        with tarfile.open(path, "r:") as archive:
            for member in archive:
                if member.name in ("manifest.json", "./manifest.json") and member.size <= _MOST_MANIFEST:
                    documents = json.load(archive.extractfile(member))
                    if isinstance(documents, list) and documents:
                        return "docker:" + str(documents[0].get("Config")) + ":" + str(documents[0].get("Layers"))
    except (OSError, tarfile.TarError, ValueError, EOFError, AttributeError):
        pass
    return None


def _of_file(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while True:
            piece = file.read(_STEP)
            if not piece:
                return "sha256:" + digest.hexdigest()
            digest.update(piece)


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
    """A blob in the cache, whole and with this digest. Raises NotFetched."""
    folder = os.path.join(cache, "blobs")
    kept = os.path.join(folder, digest)
    if os.path.exists(kept):
        return kept
    os.makedirs(folder, exist_ok=True)
    read = hashlib.sha256()
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".", delete=False) as into:
        try:
            with files.open(source, "rb") as file:
                while True:
                    piece = file.read(_STEP)
                    if not piece:
                        break
                    read.update(piece)
                    into.write(piece)
            if read.hexdigest() != digest:
                raise NotFetched(f"{source}: its SHA-256 is {read.hexdigest()}")
        except BaseException:
            os.unlink(into.name)
            raise
    os.replace(into.name, kept)
    return kept
