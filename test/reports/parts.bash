# shellcheck shell=bash disable=SC2016  # $ORIGIN and scripts are written as they are
# Sourced before each row's `build`: small parts of reports.

# lib FOLDER NAME WORD...: a shared library NAME (its soname) that defines each WORD as a function that returns 1; a
# version script, and options of the compiler, in the environment.
lib() {
  local folder=$1 name=$2 word
  shift 2
  mkdir -p "$folder"
  for word; do printf 'int %s(void) { return 1; }\n' "$word"; done >"$TMPDIR/lib.c"
  if [ -n "${versions:-}" ]; then printf '%s\n' "$versions" >"$TMPDIR/lib.map"; fi
  # shellcheck disable=SC2086
  gcc -shared -fPIC -o "$folder/$name" -Wl,-soname,"$name" ${versions:+-Wl,--version-script,$TMPDIR/lib.map} \
    "$TMPDIR/lib.c" ${options:-}
}

# user FILE WORD... ARGUMENT...: a program, or a shared object where the name has .so in it, that calls each WORD; what
# begins with - or has a slash goes to gcc.
user() {
  local file=$1 word words=() kind=()
  shift
  while [ $# -gt 0 ] && [[ $1 != -* && $1 != */* ]]; do words+=("$1"); shift; done
  {
    for word in "${words[@]}"; do printf 'int %s(void);\n' "$word"; done
    if [[ $file == *.so* ]]; then printf 'int use_%s(void) { return 0' "${words[0]}"
    else printf 'int main(void) { return -%s' ${#words[@]}; fi
    for word in "${words[@]}"; do printf ' + %s()' "$word"; done
    printf '; }\n'
  } >"$TMPDIR/user.c"
  if [[ $file == *.so* ]]; then kind=(-shared -fPIC); fi
  mkdir -p "$(dirname "$file")"
  gcc "${kind[@]}" -o "$file" "$TMPDIR/user.c" "$@"
}

# host FILE: a program that opens what it is given, as a host of plug-ins does; PLUGINS: further text of its source.
host() {
  mkdir -p "$(dirname "$1")"
  printf '%s\n' '#include <dlfcn.h>' '#include <stdio.h>' "${PLUGINS:-}" 'int main(int n, char** a) {' '  (void)n;' \
    '  void* h = dlopen(a[1], RTLD_NOW);' '  if (!h) fprintf(stderr, "%s\n", dlerror());' '  return !h;' '}' \
    >"$TMPDIR/host.c"
  gcc -rdynamic -o "$1" "$TMPDIR/host.c"
}

# root_with_libc ROOT: the loader and the libc of this machine, and Debian's name.
root_with_libc() {
  mkdir -p "$1/lib64" "$1/lib/x86_64-linux-gnu" "$1/etc" "$1/dev"
  cp -L /lib64/ld-linux-x86-64.so.2 "$1/lib64/"
  cp -L /lib/x86_64-linux-gnu/libc.so.6 "$1/lib/x86_64-linux-gnu/"
  printf '%s\n' 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"' ID=debian 'VERSION_ID="12"' VERSION_CODENAME=bookworm \
    >"$1/etc/os-release"
}

# wheel NAME VERSION TAG FOLDER LINE...: a wheel of what is in FOLDER, in index/, which is all that pip takes here;
# further lines of its METADATA.
wheel() {
  python3 - "$@" <<'END'
import base64, hashlib, os, pathlib, sys, zipfile
name, version, tag, folder = sys.argv[1:5]
metadata = sys.argv[5:]
os.makedirs("index", exist_ok=True)
base = f"{name.replace('-', '_')}-{version}"
rows = []
with zipfile.ZipFile(f"index/{base}-{tag}.whl", "w") as out:
    def put(path, data):
        out.writestr(path, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(data)}\n")
    for path in sorted(pathlib.Path(folder).rglob("*")):
        if path.is_file():
            put(str(path.relative_to(folder)), path.read_bytes())
    put(f"{base}.dist-info/METADATA", "".join([f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
                                               *(f"{line}\n" for line in metadata)]).encode())
    put(f"{base}.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())
    out.writestr(f"{base}.dist-info/RECORD", "".join(rows) + f"{base}.dist-info/RECORD,,\n")
END
}

# extension FILE WORD... ARGUMENT...: a module of Python (3.8 and later, 64 bits) that calls each WORD when it is
# imported.
extension() {
  local file=$1 name word words=()
  shift
  while [ $# -gt 0 ] && [[ $1 != -* && $1 != */* ]]; do words+=("$1"); shift; done
  name=$(basename "$file")
  name=${name%%.*}
  {
    for word in "${words[@]}"; do printf 'int %s(void);\n' "$word"; done
    printf '%s\n' 'struct definition { long count; void *type, *init; long index; void* copy; const char *name, *doc;' \
      '  long size; void* rest[6]; };' "static struct definition d = {1, 0, 0, 0, 0, \"$name\", 0, -1, {0}};" \
      'void* PyModule_Create2(struct definition*, int);' "void* PyInit_$name(void) {"
    for word in "${words[@]}"; do printf '  %s();\n' "$word"; done
    printf '%s\n' '  return PyModule_Create2(&d, 1013);' '}'
  } >"$TMPDIR/extension.c"
  mkdir -p "$(dirname "$file")"
  gcc -shared -fPIC -o "$file" "$TMPDIR/extension.c" "$@"
}

# venv FOLDER: an environment of this Python, with pip; SITE is where it has its packages. As `python3 -m venv` makes
# it, but without setuptools, and in a tenth of the time.
venv() {
  local pip
  python3 -m venv --without-pip "$1"
  SITE=$1/lib/python$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')/site-packages
  for pip in /usr/share/python-wheels/pip-*.whl \
      "$(python3 -c 'import ensurepip; print(ensurepip.__path__[0])')"/_bundled/pip-*.whl; do
    if [ -e "$pip" ]; then python3 -m zipfile -e "$pip" "$SITE"; break; fi
  done
  printf '#!/bin/sh\nexec "$(dirname "$0")/python" -m pip "$@"\n' >"$1/bin/pip"
  chmod +x "$1/bin/pip"
}

# conda FOLDER: an environment as conda makes them: a python3 whose DT_RPATH is ../lib, to be run with PYTHONHOME.
conda() {
  local release
  release=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  SITE=$1/lib/python$release/site-packages
  mkdir -p "$1/bin" "$1/conda-meta" "$SITE"
  cp -L /usr/bin/python3 "$1/bin/python$release"
  patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$1/bin/python$release"
  ln -s "python$release" "$1/bin/python3"
  ln -s "python$release" "$1/bin/python"
  : >"$1/conda-meta/history"
}

# conda_package FOLDER NAME VERSION FILE...: what conda records of a package that it installed.
conda_package() {
  local folder=$1 name=$2 version=$3 files
  shift 3
  files=$(printf '"%s", ' "$@")
  printf '{"name": "%s", "version": "%s", "build": "h0_0", "build_number": 0, "files": [%s]}\n' \
    "$name" "$version" "${files%, }" >"$folder/conda-meta/$name-$version-h0_0.json"
}
