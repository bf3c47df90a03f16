# Configures and builds a tree. Sourced by ./run and ./test, which set $root.
#
#   build_tree PRESET DIR LOG TARGET [cmake arguments...]
#
# Quiet: the output goes to LOG, and its tail is shown on failure, with status 1. One line tells that a build goes on
# when there is something to build and someone may be waiting: at a terminal, or the first time. Configuring takes
# little and happens every time, so that a package, a room or a processor that is new is seen. Two that build one tree
# wait for each other.

build_tree() {
  local preset=$1 dir=$2 log=$3 target=$4
  shift 4
  mkdir -p "$dir" "$(dirname "$log")"
  local first=0 status=0
  [[ -e $dir/build.ninja ]] || first=1
  (
    flock 9
    cd "$root"
    configure=(cmake --preset "$preset" -B "$dir" "$@")
    # --fresh: a tree left by another place, generator or compiler is no reason to fail.
    if ! "${configure[@]}" >"$log" 2>&1 && ! "${configure[@]}" --fresh >"$log" 2>&1; then
      exit 1
    fi
    if ! ninja -C "$dir" -n "$target" 2>&1 | grep 'no work to do' >/dev/null; then
      if ((first)) || [[ -t 2 ]]; then
        echo "linchpin: building in ${dir#"$root"/} (log: ${log#"$root"/})" >&2
      fi
      cmake --build "$dir" --parallel "$(nproc)" --target "$target" >>"$log" 2>&1
    fi
  ) 9>"$dir/.lock" || status=1
  if ((status)); then
    echo "linchpin: the build failed; the end of ${log#"$root"/}:" >&2
    tail -n 40 "$log" >&2
  fi
  return $status
}
