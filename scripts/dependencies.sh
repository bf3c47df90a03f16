# The Debian packages that linchpin needs, in lists, and how they are installed. Sourced by ./run and ./test.
#
#   require_packages "${build_packages[@]}"   installs what is missing; prints the reason and exits when it cannot
#   install_packages "${peer_packages[@]}"    the same, but returns 1 with the reason in $install_error
#
# LINCHPIN_SKIP_INSTALL=1 installs nothing, on another distribution for example: CMake says what is missing.

# What ./run needs without arguments, and nothing else.
build_packages=(g++ cmake ninja-build pkg-config libeigen3-dev libcli11-dev libfmt-dev nlohmann-json3-dev libqhull-dev
                libassimp-dev libhdf5-dev libboost-dev libtbb-dev)

# What ./test needs besides. ccache saves nothing on a first build, and most of a later one.
test_packages=(ccache libgtest-dev)

# What ./test --mutation needs besides.
mutation_packages=()
command -v python3 >/dev/null || mutation_packages+=(python3)

# What builds the viewer's page. Debian's npm conflicts with a nodejs from elsewhere, which brings its own npm, so each
# is asked for only where there is none. Without them the program has no page, and says so.
viewer_packages=()
command -v node >/dev/null || viewer_packages+=(nodejs)
command -v npm >/dev/null || viewer_packages+=(npm)

# What tests the viewer's page. Optional: those tests are skipped without it.
browser_packages=()
command -v chromium >/dev/null || browser_packages+=(chromium)

# The engines that `linchpin bench` compares with. Optional: each is used where it is found.
peer_packages=(libmujoco-dev libbullet-dev libdart-dev libsimbody-dev libsiconos-numerics-dev libode-dev libfcl-dev)

# Prints those of the given packages that are not installed.
missing_packages() {
  local package
  for package; do
    [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) == installed* ]] ||
      echo "$package"
  done
}

install_packages() {
  install_error=
  [[ ${LINCHPIN_SKIP_INSTALL:-} == 1 ]] && return 0
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    install_error="no apt here: install what Debian calls $*, then set LINCHPIN_SKIP_INSTALL=1"
    return 1
  fi
  local missing
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      install_error="not root and no sudo: have root install ${missing[*]}"
      return 1
    fi
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet --option DPkg::Lock::Timeout=300
             --option Acquire::Retries=3)
  local log status=0
  log=$(mktemp)
  echo "linchpin: installing ${missing[*]}" >&2
  # A failed update is not fatal: the package lists at hand may be enough.
  "${apt[@]}" update >"$log" 2>&1 </dev/null || true
  if ! "${apt[@]}" install --yes --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null; then
    install_error="apt-get could not install ${missing[*]}:"$'\n'$(grep -E '^(E|W|Err)[:0-9]' "$log" | tail -n 5)
    status=1
  fi
  rm -f "$log"
  return $status
}

# The same for packages that linchpin cannot do without.
require_packages() {
  if ! install_packages "$@"; then
    echo "linchpin: $install_error" >&2
    exit 1
  fi
}
