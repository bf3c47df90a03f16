#!/usr/bin/env bash
# scripts/build_times.sh DIR            what a finished build of the tree DIR took, from its .ninja_log
# scripts/build_times.sh PRESET TARGET [cmake arguments...]
#                                       builds TARGET from nothing, in a tree of its own and without ccache
#
# Prints the seconds of each room or folder, the 15 slowest files, and the sum. The first form gives wall-clock seconds
# of each command, which are too long on a busy machine; the second gives CPU seconds (user and system) of each
# compilation, and the time of the whole. Half of the CPU seconds is about the wall time on two free cores.
#
#   scripts/build_times.sh build/release
#   scripts/build_times.sh release linchpin -DLINCHPIN_BUILD_TESTS=OFF     what the first ./run compiles
#   scripts/build_times.sh release "all checked_tests" -DLINCHPIN_CHECK=address,undefined     what ./test compiles
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)

# Reads "SECONDS OBJECT" lines. linchpin/dynamics/tree/CMakeFiles/x.dir/aba.cc.o belongs to linchpin/dynamics/tree, and
# to its tests when x begins with test_.
report() {
  awk '
    {
      seconds = $1
      object = $2
      folder = object
      sub(/\/CMakeFiles\/.*/, "", folder)
      if (object ~ /\/CMakeFiles\/test_/) folder = folder " (tests)"
      sub(/\/CMakeFiles\/[^\/]*\.dir/, "", object)
      of_folder[folder] += seconds
      all += seconds
      printf "file %9.1f  %s\n", seconds, object
    }
    END {
      for (folder in of_folder) printf "folder %9.1f  %s\n", of_folder[folder], folder
      printf "all %9.1f  in all\n", all
    }' >"$rows"
  echo "seconds    by folder"
  sed -n 's/^folder//p' "$rows" | sort -rn
  echo "seconds    slowest files"
  sed -n 's/^file//p' "$rows" | sort -rn | head -n 15
  sed -n 's/^all//p' "$rows"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rows=$scratch/rows

if (($# == 1)) && [[ -e $1/.ninja_log ]]; then
  # start and end in ms, time stamp, output, hash; the last line of an output is its last build.
  awk -F '\t' '/\.o\t/ { took[$4] = ($2 - $1) / 1000 } END { for (o in took) print took[o], o }' "$1/.ninja_log" |
    report
  exit
fi
if (($# < 2)); then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi

# A compiler launcher that notes the CPU seconds of each compilation.
cat >"$scratch/launcher" <<'LAUNCHER'
#!/usr/bin/env bash
object=
for ((i = 1; i < $#; i++)); do
  if [[ ${!i} == -o ]]; then next=$((i + 1)) && object=${!next}; fi
done
TIMEFORMAT='%U %S'
{ time "$@" 2>&3; } 3>&2 2>"$0.$$"
status=$?
read -r user system <"$0.$$"
rm -f "$0.$$"
echo "$user $system $object" >>"$0.log"
exit $status
LAUNCHER
chmod +x "$scratch/launcher"

preset=$1
target=$2
shift 2
tree=$scratch/tree
cd "$root"
cmake --preset "$preset" -B "$tree" -DCMAKE_CXX_COMPILER_LAUNCHER="$scratch/launcher" "$@" >"$scratch/configure.log" ||
  { cat "$scratch/configure.log" && exit 1; }
TIMEFORMAT='the whole build: %R s by the clock, %U s user + %S s system'
time ninja -C "$tree" $target >"$scratch/build.log" || { tail -n 40 "$scratch/build.log" && exit 1; }
awk '{ print $1 + $2, $3 }' "$scratch/launcher.log" | report
