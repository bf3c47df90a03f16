#!/usr/bin/env bash
# tests/package/run.sh BUILD_DIR: installs a built tree into an empty folder and uses it from there, as a user would.
#
# The consumer is compiled with two sets of flags that differ from the library's: -O0 -march=x86-64, and -O3
# -march=haswell, another processor than that of the kernels. Neither may crash or change a bit of the results.
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

# use NAME FLAGS [cmake arguments...]: builds and runs the consumer; its output stays in $top/NAME.out.
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
  use plain "-O0" -DEVERY_HEADER="$here/../.."
  exit
fi
use plain "-O0 -march=x86-64" -DEVERY_HEADER="$here/../.."
if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
  use haswell "-O3 -march=haswell"
  echo "== the results are equal"
  diff "$top/plain.out" "$top/haswell.out"
fi
