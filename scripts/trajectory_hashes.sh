#!/usr/bin/env bash
# scripts/trajectory_hashes.sh LINCHPIN [STEPS]: one line per run, "scene options hash", for every built-in scene under
# every stepper and every formulation of contact, and for some further options.
#
# The hash is that of all positions, velocities, reactions, energies, contact points and contact forces of each step, as
# printed with all digits. Two programs that compute the same bits print the same lines:
#
#   diff <(scripts/trajectory_hashes.sh OLD) <(scripts/trajectory_hashes.sh NEW)
#
# STEPS is the number of steps of 1 ms (100). A run that fails is hashed up to its failure, with its exit status.
set -euo pipefail

linchpin=$(readlink -f "${1:?usage: trajectory_hashes.sh LINCHPIN [STEPS]}")
steps=${2:-100}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C

# hash_run SCENE OPTIONS...
hash_run() {
  local out=$folder/$BASHPID status=0 contacts=()
  rm -f "$out".*
  [[ " $* " =~ \ (--method|time_stepping)\  ]] && contacts=(--contacts "$out.contacts")
  "$linchpin" simulate "$@" --every 1 --csv "$out.csv" "${contacts[@]}" --quiet >"$out.out" 2>&1 </dev/null || status=$?
  touch "$out.csv" "$out.contacts"
  echo "$* $(cat "$out.csv" "$out.contacts" | sha256sum | cut -c 1-16) status $status"
}
export -f hash_run
export linchpin folder

time=$(awk -v n="$steps" 'BEGIN { printf "%.17g", n * 1e-3 }')
{
  for scene in $("$linchpin" inspect --scenes | grep -o '^ *@[a-z_0-9]*' | sort -u); do
    for stepper in semi_implicit_euler explicit_euler rk4 dormand_prince implicit_midpoint; do
      echo "$scene --stepper $stepper --time $time"
    done
    for method in os rmc mc nmc_os nmc multipliers hybrid_dense hybrid_aba hybrid_dca; do
      # Dense systems of 666 balls: minutes a step.
      [[ $scene == @balls && $method =~ ^(mc|nmc)$ ]] && continue
      echo "$scene --method $method --time $time"
    done
    echo "$scene --time $time --seed 7"
    echo "$scene --stepper time_stepping --time $time --directions 4"
    echo "$scene --stepper time_stepping --time $time --dt 0.01"
    echo "$scene --stepper time_stepping --time $time --sleep 0.02 --restitution newton"
  done
  # Longer runs through touching, bouncing, sliding and coming to rest.
  for scene in @stack:boxes=4 @bounce @swing:links=5 @grip @stand @slope:angle=35 @arch @workshop; do
    echo "$scene --stepper time_stepping --time 1"
    echo "$scene --stepper time_stepping --time 1 --dt 0.01 --sleep 0.1"
  done
  for solver in lemke dantzig newton interior_point arc_path gauss_seidel proximal; do
    echo "@stack:boxes=3 --stepper time_stepping --time 0.2 --solver $solver"
    echo "@stack:boxes=3 --stepper time_stepping --time 0.2 --solver $solver --directions 4"
  done
} | xargs -P "$(nproc)" -I{} bash -c 'hash_run {}' | sort
