# Sourced by the scripts that need packages of other Debian suites.
#
# The mirror is the one that apt is configured with here; apt itself downloads and verifies, in a
# state directory of its own, so nothing of the machine's package state is read or changed.

test_cache() { echo "${SORESOLVE_TEST_CACHE:-${HOME:-/tmp}/.cache/soresolve-test}"; }

skip() { echo "${0##*/}: $*; skipped"; exit 77; }

# open_archives CACHE: takes the lock of CACHE, and sets `archives`, `codename` (of this machine's release) and
# `work`, a directory for this run. Ends with 77 when packages cannot be had here.
open_archives() {
  local cache=$1 tool
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  for tool in apt-get dpkg-deb flock; do
    command -v "$tool" >/dev/null || skip "no $tool on this machine"
  done
  [ -r "$keyring" ] || skip "no $keyring"
  [ "$(dpkg --print-architecture)" = amd64 ] || skip "these packages are for amd64"
  mkdir -p "$cache" || skip "cannot create $cache"
  exec 9>"$cache/.lock"
  flock 9

  # The archives that serve this machine's own release, as apt names them; a machine of another
  # distribution has none that the keyring vouches for.
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  mapfile -t archives < <(apt-get update --print-uris 2>/dev/null |
    sed -n "s|^'\(.*/\)dists/$codename/InRelease'.*|\1|p" | sort -u)
  [ ${#archives[@]} -gt 0 ] || skip "apt has no archive of $codename configured"

  work=$(mktemp -d "$cache/.work.XXXXXX") || skip "cannot create a directory in $cache"
  trap 'rm -rf "$work"' EXIT
}

# fetch_packages SUITE COMPONENT PACKAGE…: leaves the packages, or a log, in $work/SUITE. They are those of
# `architecture`, where that is set.
fetch_packages() {
  local suite=$1 component=$2 state=$work/$1 archive
  shift 2
  for archive in "${archives[@]}"; do
    rm -rf "$state"
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/etc"
    echo "deb [signed-by=$keyring] $archive $suite $component" >"$state/etc/sources.list"
    : >"$state/status"
    local apt=(apt-get -qq
      -o APT::Architecture="${architecture:-amd64}" -o APT::Architectures="${architecture:-amd64}"
      -o Dir::State="$state" -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status"
      -o Dir::Cache="$state/cache" -o Dir::Etc::SourceList="$state/etc/sources.list"
      -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null
      -o Dir::Etc::PreferencesParts=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User=
      -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
      -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false
      -o Acquire::Check-Valid-Until=false -o Acquire::Retries=2 -o Acquire::http::Timeout=30)
    "${apt[@]}" update 2>"$state/log" && (cd "$state" && "${apt[@]}" download "$@" 2>>"$state/log") &&
      return
  done
  return 1
}
