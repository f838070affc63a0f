# Sourced by the scripts beside it: packages of the system, and the build directory.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${SORESOLVE_BUILD:-$root/build}
# build-essential for g++, and for dpkg-dev: without it Meson cannot know where Debian installs libraries.
build_packages=(build-essential meson ninja-build pkg-config libcli11-dev nlohmann-json3-dev libspdlog-dev libtomlplusplus-dev
  liblz4-dev libzstd-dev libarchive-dev libsquashfs-dev libbz2-dev liblzma-dev nettle-dev zlib1g-dev)
# Meson finds doctest through CMake. Tests fetch packages of other Debian suites, and wheels with pip;
# they read man pages and completions as their users do.
test_packages=(git doctest-dev cmake binutils bubblewrap ca-certificates cpio debhelper debootstrap doxygen dpkg-dev
  fish groff libarchive-tools mandoc patchelf python3-jsonschema python3-pip python3-venv python3-yaml rpm strace util-linux
  zsh zstd)

# What some Debians have, and others do not: without it a part is left out, as the summary of the build says.
# The form of sources is that of clang-format 14.
# Pages are opened in chromium.
optional_packages=(liblief-dev libmbedtls-dev clang-format-14 mkdocs-material chromium chromium-driver python3-selenium)

# What only tests of the tier whole take: another compiler's ThreadSanitizer, another processor, container images,
# a scheduler.
whole_packages=(buildah clang libclang-rt-dev g++-aarch64-linux-gnu munge podman qemu-user skopeo slurm-client slurmctld slurmd
  squashfs-tools umoci)

# The number of compilers at a time: what the machine has, but at most one for each 1.5 GiB.
jobs=$(awk -v cpus="$(nproc)" '/^MemAvailable:/ { fit = int($2 / 1572864) }
  END { print fit < 1 ? 1 : fit < cpus ? fit : cpus }' /proc/meminfo)

say() { printf '== %s\n' "$*" >&2; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Runs a command until it succeeds, three times at most: mirrors have bad moments.
retry() {
  local attempt
  for attempt in 1 2 3; do
    "$@" && return
    say "attempt $attempt failed: $*"
    sleep $((attempt * 5))
  done
  return 1
}

# Runs a command, WHAT it does in the first argument. Where no terminal shows its own progress, a line every ten seconds
# says that it still runs.
with_pulse() {
  local what=$1 status=0 pulse=
  shift
  if [ ! -t 2 ]; then
    (
      begin=$SECONDS
      while sleep 10 >/dev/null 2>&1 && kill -0 $$; do say "$what: $((SECONDS - begin)) s so far"; done
    ) &
    pulse=$!
  fi
  "$@" || status=$?
  [ -z "$pulse" ] || { kill "$pulse" && wait "$pulse"; } 2>/dev/null || true
  return $status
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# Installs those of the Debian packages that are not there.
need_packages() {
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    say "no apt-get here; these Debian packages, or what they contain, are needed: ${missing[*]}"
    return 0
  fi
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    say "these packages are missing, and installing them takes root or sudo: ${missing[*]}"
    return 1
  fi
  say "installing ${missing[*]}"
  local quiet=
  [ -t 2 ] || quiet=-q
  with_pulse "reading the package lists" retry as_root apt-get $quiet update >&2
  with_pulse "installing packages" retry as_root env DEBIAN_FRONTEND=noninteractive apt-get $quiet -y \
    --no-install-recommends install "${missing[@]}" >&2
}

# Installs those of the packages that this Debian has; what it has not is only told.
need_optional_packages() {
  local package offered=()
  for package in "$@"; do
    if is_installed "$package" || apt-cache show "$package" >/dev/null 2>&1; then
      offered+=("$package")
    else
      say "this system has no package $package: built without it"
    fi
  done
  need_packages "${offered[@]}" || say "not installed: ${offered[*]}"
}

# Sets dagre to the file that lays out the graphs of pages, empty where there is none. Of Debian's node-dagre-layout this
# file alone is taken, in a folder of the package's name: as an installed package it would bring node and 250 others.
find_dagre() {
  local installed=/usr/share/nodejs/dagre/dist/dagre.min.js kept=$root/build-packages scratch
  dagre=$installed
  [ ! -f "$dagre" ] || return 0
  dagre=$(find "$kept" -path "*/node-dagre-layout_*$installed" -print -quit 2>/dev/null || true)
  [ -z "$dagre" ] || return 0
  command -v apt-get >/dev/null || return 0
  scratch=$(mktemp -d)
  chmod 755 "$scratch"
  (
    cd "$scratch"
    apt-get -q -o APT::Sandbox::User=root download node-dagre-layout >&2 ||
      { retry as_root apt-get -q update >&2 && apt-get -q -o APT::Sandbox::User=root download node-dagre-layout >&2; }
    mkdir -p "$kept"
    for package in *.deb; do dpkg-deb -x "$package" "$kept/${package%.deb}"; done
  ) || say "no package node-dagre-layout can be had: pages list what they would draw"
  rm -rf "$scratch"
  dagre=$(find "$kept" -path "*/node-dagre-layout_*$installed" -print -quit 2>/dev/null || true)
}

# Configures the build directory DIR as a release build; further arguments go to meson setup.
configure() {
  local dir=$1
  shift
  if [ -f "$dir/build.ninja" ]; then
    # Only when options are given: ninja itself notices changed build files.
    [ $# -eq 0 ] || meson setup --reconfigure "$dir" "$root" "$@"
  else
    [ -n "${dagre+known}" ] || find_dagre
    meson setup "$dir" "$root" --buildtype=release "-Ddagre=$dagre" "$@"
  fi
}
