# Configures and builds a tree. Sourced by ./run and ./test, which set $root.
#
#   build_tree PRESET DIR LOG "TARGETS" [cmake arguments...]
#
# Quiet: the output goes to LOG. When the build fails, the end of LOG is shown and the status is 1. A line says that a
# build is running when there is something to build and a user may be waiting: at a terminal, or when none of the
# targets has been built before. The tree is configured each time, which takes a second or two, so that a new package,
# room or processor is noticed. Two builds of one tree wait for each other.

build_tree() {
  local preset=$1 dir=$2 log=$3 status=0
  local -a targets
  read -r -a targets <<<"$4"
  shift 4
  mkdir -p "$dir" "$(dirname "$log")"
  (
    flock 9
    cd "$root"
    configure=(cmake --preset "$preset" -B "$dir" "$@")
    # --fresh: a tree that another folder, generator or compiler left behind is configured from nothing.
    if ! "${configure[@]}" >"$log" 2>&1 && ! "${configure[@]}" --fresh >"$log" 2>&1; then
      exit 1
    fi
    if ! ninja -C "$dir" -n "${targets[@]}" 2>&1 | grep 'no work to do' >/dev/null; then
      if [[ -t 2 ]] || is_first_build "$dir" "${targets[@]}"; then
        echo "linchpin: building ${targets[*]} in ${dir#"$root"/} (log: ${log#"$root"/})" >&2
      fi
      cmake --build "$dir" --parallel "$(nproc)" --target "${targets[@]}" >>"$log" 2>&1 || exit 1
      for target in "${targets[@]}"; do
        touch "$dir/.built-${target//\//-}"
      done
    fi
  ) 9>"$dir/.lock" || status=1
  if ((status)); then
    echo "linchpin: the build failed; the end of ${log#"$root"/}:" >&2
    tail -n 40 "$log" >&2
  fi
  return $status
}

# True where one of the targets has not been built in that tree before.
is_first_build() {
  local dir=$1 target
  shift
  for target; do
    [[ -e $dir/.built-${target//\//-} ]] || return 0
  done
  return 1
}
