"""Virtual environments in the cache, made of real wheels without running pip: what people import frameworks from.

Each is a venv without pip's own bookkeeping but RECORD, which wheels bring. A wheel is unpacked once, into
<cache>/unpacked, and its files are hard links everywhere else. torch of three releases is taken from where the other
tests have it. What is not to be had is named, and the environment left out.
"""

import os
import pathlib
import shutil
import subprocess
import typing
import zipfile

import wheels


class Environment(typing.NamedTuple):
    name: str
    module: str         # what is imported
    python: str         # "3.11"
    wheels: str         # requirements, with blanks between
    site: str = ""      # below the cache: further packages that are unpacked there


SMALL_TORCH = "typing-extensions==4.16.0 filelock==3.18.0 sympy==1.13.1 mpmath==1.3.0 networkx==3.4.2 jinja2==3.1.6 markupsafe==3.0.2 fsspec==2025.3.2"
PIP = "pip==26.3"
NUMPY = "numpy==1.26.4"

ENVIRONMENTS = [
    Environment("cupy-cuda12x-14.2.0", "cupy", "3.11", f"cupy-cuda12x==14.2.0 numpy==2.4.6 cuda-pathfinder nvidia-cuda-runtime-cu12==12.8.90 nvidia-curand-cu12 "
                "nvidia-cublas-cu12==12.4.5.8 nvidia-cuda-nvrtc-cu12==12.4.127"),
    Environment("cupy-cuda11x-13.6.0", "cupy", "3.11", f"cupy-cuda11x==13.6.0 {NUMPY} fastrlock==0.8.4 nvidia-cuda-runtime-cu11==11.8.89"),
    Environment("xgboost-3.2.0", "xgboost", "3.11", f"xgboost==3.2.0 {NUMPY} scipy==1.15.3 nvidia-nccl-cu12==2.32.3"),
    Environment("xgboost-2.1.3", "xgboost", "3.11", f"xgboost==2.1.3 {NUMPY} scipy==1.14.1 nvidia-nccl-cu12==2.32.3"),
    Environment("onnxruntime-gpu-1.31.1", "onnxruntime", "3.11", "onnxruntime-gpu==1.31.1 numpy==2.4.6 flatbuffers==25.12.19 packaging==24.2 protobuf==7.36.2 "
                "sympy==1.13.1 mpmath==1.3.0"),
    Environment("onnxruntime-gpu-1.18.1", "onnxruntime", "3.11", f"onnxruntime-gpu==1.18.1 {NUMPY} flatbuffers==24.3.25 packaging==24.2 protobuf==5.29.6 "
                "coloredlogs==15.0.1 humanfriendly==10.0 sympy==1.13.1 mpmath==1.3.0"),
    Environment("torch-1.13.1", "torch", "3.10", "typing-extensions==4.12.2", "site-packages/torch-1.13.1"),
    Environment("torch-2.6.0", "torch", "3.11", "", "venv-torch-2.6.0/lib/python3.11/site-packages"),
    Environment("torch-2.15.0", "torch", "3.11", SMALL_TORCH + " nvidia-cuda-cupti==13.5.25", "site-packages/torch-2.15.0"),
    Environment("ctranslate2-4.8.5", "ctranslate2", "3.11", "ctranslate2==4.8.5 numpy==2.4.6 pyyaml==6.0.3 setuptools==75.6.0"),
    Environment("faiss-gpu-cu12-1.14.1", "faiss", "3.11", f"faiss-gpu-cu12==1.14.1.post1 {NUMPY} packaging==24.2 "
                "nvidia-cuda-runtime-cu12==12.4.127 nvidia-cublas-cu12==12.4.5.8"),
    Environment("bitsandbytes-0.45.0", "bitsandbytes", "3.11", f"bitsandbytes==0.45.0 {NUMPY}", "venv-torch-2.6.0/lib/python3.11/site-packages"),
    Environment("jax-0.4.38", "jax", "3.11", f"jax==0.4.38 jaxlib==0.4.38 jax-cuda12-plugin==0.4.38 jax-cuda12-pjrt==0.4.38 ml-dtypes==0.4.1 opt-einsum==3.4.0 "
                f"{NUMPY} scipy==1.15.3"),
    Environment("tensorflow-2.18.0", "tensorflow", "3.11", "tensorflow==2.18.0 numpy==2.0.2 ml-dtypes==0.4.1 protobuf==5.29.6 absl-py==2.1.0 astunparse==1.6.3 "
                "flatbuffers==24.3.25 gast==0.6.0 google-pasta==0.2.0 grpcio==1.68.1 h5py==3.12.1 keras==3.7.0 libclang==18.1.1 opt-einsum==3.4.0 "
                "packaging==24.2 requests==2.32.3 setuptools==75.6.0 six==1.17.0 tensorboard==2.18.0 tensorflow-io-gcs-filesystem==0.37.1 termcolor==2.5.0 "
                "typing-extensions==4.12.2 wrapt==1.17.0 rich==13.9.4 namex==0.0.8 optree==0.13.1 markdown-it-py==3.0.0 mdurl==0.1.2 pygments==2.18.0 "
                "urllib3==2.2.3 idna==3.10 certifi==2024.8.30 charset-normalizer==3.4.0 wheel==0.45.1"),
]


def interpreter(version):
    """A Python of that release, or None."""
    places = [f"/usr/bin/python{version}", *sorted(map(str, pathlib.Path.home().glob(f".pyenv/versions/{version}.*/bin/python{version}"))),
              f"/usr/local/bin/python{version}"]
    return next((place for place in reversed(places) if os.access(place, os.X_OK)), None)


def unpacked(wheel):
    """The folder with the wheel's files."""
    folder = wheels.cache_root() / "unpacked" / wheel.stem
    if (folder / wheels.STAMP).exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    (folder / wheels.STAMP).touch()
    return folder


def link_tree(source, target):
    """The files of one folder again in another, as hard links; what is there stays."""
    for place, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in ("__pycache__", "include")]
        twin = target / os.path.relpath(place, source)
        twin.mkdir(parents=True, exist_ok=True)
        for name in names:
            if name != wheels.STAMP and not (twin / name).exists():
                os.link(os.path.join(place, name), twin / name, follow_symlinks=False)


def lay_out(folder, store, version, table, only=None):
    """Lays (requirement, modules) of a list out together in a virtual environment; the modules to import, with the requirement
    of each. What cannot be had is named. `only`: the modules of one wheel."""
    subprocess.run([interpreter(version), "-m", "venv", "--without-pip", str(folder)], check=True)
    site = folder / "lib" / f"python{version}" / "site-packages"
    modules = []
    for requirement, names in table:
        try:
            wheel = store.get(wheels.parse_requirement(requirement), version)
        except (wheels.Missing, wheels.NoRoom) as reason:
            print(f"SKIPPED {requirement}: {reason}")
            continue
        link_tree(unpacked(wheel), site)
        # What pip does besides: the data of a wheel that lie elsewhere.
        for part in site.glob("*.data/*lib"):
            link_tree(part, site)
        if only is None or only == requirement.split("==")[0]:
            modules += [(requirement, name) for name in names]
    return modules


def make(environment, folder, store):
    """Lays it out in `folder`; None, or the words why that cannot be. `store`: a wheels.Wheels."""
    python = interpreter(environment.python)
    if python is None:
        return f"no Python {environment.python}"
    site = folder / "lib" / f"python{environment.python}" / "site-packages"
    further = wheels.cache_root() / environment.site
    if not further.is_dir():
        return f"{environment.site} is not in the cache"
    try:
        found = [store.get(wheels.parse_requirement(one), environment.python) for one in [*environment.wheels.split(), PIP]]
    except (wheels.Missing, wheels.NoRoom) as reason:
        return str(reason)
    subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    # Its own packages first: of two releases the one that it names.
    for wheel in found:
        link_tree(unpacked(wheel), site)
    if environment.site:
        link_tree(further, site)
    return None
