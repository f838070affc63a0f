# Sourced by the scripts that need packages of other Debian suites.
#
# The mirror is the one that apt is configured with here; apt itself downloads and verifies, in a
# state directory of its own, so nothing of the machine's package state is read or changed.
#
# Tests call these scripts when they need what they fetch, several at once and in any order. So each cache has a lock,
# what is fetched is moved into its place when it is whole, all waiting is bounded, and lists of packages are kept for a
# day. Where a suite could not be had, nobody asks for it again for some minutes: without a network each test says so at
# once instead of waiting as long as the first one has.

readonly lock_seconds=300 fetch_seconds=240 minutes_until_asked_again=3

test_cache() { echo "${SORESOLVE_TEST_CACHE:-${HOME:-/tmp}/.cache/soresolve-test}"; }

skip() { echo "${0##*/}: $*; skipped"; exit 77; }

# open_archives CACHE: takes the lock of CACHE, and sets `archives`, `codename` (of this machine's release) and
# `work`, a directory for this run. Ends with 77 when packages cannot be had here.
open_archives() {
  local cache=$1 tool
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  for tool in apt-get dpkg-deb flock timeout; do
    command -v "$tool" >/dev/null || skip "no $tool on this machine"
  done
  [ -r "$keyring" ] || skip "no $keyring"
  [ "$(dpkg --print-architecture)" = amd64 ] || skip "these packages are for amd64"
  mkdir -p "$cache" || skip "cannot create $cache"
  exec 9>"$cache/.lock"
  flock -w "$lock_seconds" 9 || skip "another process is at work in $cache for minutes"

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
  local suite=$1 component=$2 place=$work/$1 archive name state
  shift 2
  mkdir -p "$place"
  for archive in "${archives[@]}"; do
    # Two suites with one mirror share nothing; two scripts that want one suite share its lists.
    name=$suite-$component-${architecture:-amd64}-$(printf %s "$archive" | cksum | cut -d " " -f 1)
    state=$(test_cache)/apt/$name
    mkdir -p "$state" && exec 8>"$state/.lock" && flock -w "$lock_seconds" 8 || {
      echo "$state: another process is at work there for minutes" >"$place/log"
      continue
    }
    fetch_from "$archive" "$suite" "$component" "$@" && exec 8>&- && return
    exec 8>&-
  done
  return 1
}

# fetch_from ARCHIVE SUITE COMPONENT PACKAGE…: the same from one archive. By lists that are hours old a package may be
# gone; then there is a second attempt with new ones.
fetch_from() {
  local archive=$1 suite=$2 component=$3 attempt
  shift 3
  if [ -n "$(find "$state/failed" -mmin "-$minutes_until_asked_again" 2>/dev/null)" ]; then
    { cat "$state/failed"; echo "$suite could not be had less than $minutes_until_asked_again minutes ago"; } >"$place/log"
    return 1
  fi
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/etc"
  echo "deb [signed-by=$keyring] $archive $suite $component" >"$state/etc/sources.list"
  : >"$state/status"
  local apt=(timeout -k 5 "$fetch_seconds" apt-get -qq
    -o APT::Architecture="${architecture:-amd64}" -o APT::Architectures="${architecture:-amd64}"
    -o Dir::State="$state" -o Dir::State::Lists="$state/lists" -o Dir::State::status="$state/status"
    -o Dir::Cache="$state/cache" -o Dir::Etc::SourceList="$state/etc/sources.list"
    -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null
    -o Dir::Etc::PreferencesParts=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User=
    -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
    -o Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false
    -o Acquire::GzipIndexes=true -o Acquire::PDiffs=false -o APT::Update::Error-Mode=any
    -o Acquire::Check-Valid-Until=false -o Acquire::Retries=3 -o Acquire::http::Timeout=20)
  for attempt in 1 2; do
    if [ "$attempt" = 2 ] || [ -z "$(find "$state/updated" -mtime -1 2>/dev/null)" ]; then
      rm -f "$state/updated"
      if ! "${apt[@]}" update 2>"$place/log"; then
        cp "$place/log" "$state/failed"
        return 1
      fi
      touch "$state/updated"
      attempt=2
    fi
    (cd "$place" && "${apt[@]}" download "$@" 2>>"$place/log") && return
    [ "$attempt" = 1 ] || return 1
  done
  return 1
}
