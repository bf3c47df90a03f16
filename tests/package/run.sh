#!/usr/bin/env bash
# tests/package/run.sh BUILD_DIR: installs a built tree into an empty place and uses it from there, as a stranger would.
#
# The consumer is compiled with flags that differ from the library's both ways, plainer (-O0 -march=x86-64) and for
# another machine than the kernels (-O3 -march=haswell): neither may crash nor change a bit of what it computes.
set -euo pipefail

build_dir=$(cd "${1:?usage: run.sh BUILD_DIR}" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
unset DESTDIR

echo "== installing"
if ! cmake --install "$build_dir" --prefix "$top/prefix" >"$top/install.log" 2>&1; then
  cat "$top/install.log"
  exit 1
fi

# use NAME FLAGS [cmake arguments...]: builds and runs the consumer; what it printed stays in $top/NAME.out.
use() {
  local name=$1 flags=$2
  shift 2
  echo "== consumer $name: ${flags:-no flags}"
  cmake -S "$here/consumer" -B "$top/$name" -G Ninja -DCMAKE_PREFIX_PATH="$top/prefix" -DCMAKE_CXX_FLAGS="$flags" \
    "$@" >"$top/$name.log" 2>&1 && cmake --build "$top/$name" >>"$top/$name.log" 2>&1 || {
    cat "$top/$name.log"
    return 1
  }
  "$top/$name/consumer" | tee "$top/$name.out"
}

if [[ $(uname -m) != x86_64 ]]; then
  use plain "-O0" -DEVERY_HEADER=ON
  exit
fi
use plain "-O0 -march=x86-64" -DEVERY_HEADER=ON
if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
  use haswell "-O3 -march=haswell"
  echo "== both the same"
  diff "$top/plain.out" "$top/haswell.out"
fi
