#!/usr/bin/env bash
# read_recording_test.sh LINCHPIN: what read_recording.py says of recordings, of a run that is done and of one that was
# killed. Status 77, a skip, where Debian's Python has no h5py.
set -euo pipefail

linchpin=$(readlink -f "$1")
reader=$(dirname "$(readlink -f "$0")")/read_recording.py
python=/usr/bin/python3
if ! "$python" -c 'import h5py' 2>/dev/null; then
  echo "skipped: $python has no h5py (Debian: python3-h5py)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# says TEXT: the reader's words contain it.
says() {
  grep -qF -- "$1" out || { echo "FAILED: no '$1' in:"; cat out; exit 1; }
}

"$linchpin" simulate @stack --time 1 --record done.h5 --quiet
"$python" "$reader" done.h5 >out
says "@stack: 10 bodies, 60 frames, 0 to 1 s, done"
says "hardest at the end"

"$linchpin" simulate @stack --time 1000 --record killed.h5 --quiet &
sleep 2
kill -9 $!
wait $! 2>/dev/null || true
"$python" "$reader" killed.h5 >out
says "unfinished"

# What it computes is what linchpin says: the total energy at the end.
energy=$("$linchpin" inspect done.h5 --csv - --signals energy 2>/dev/null | tail -n 1 | cut -d, -f2)
"$python" "$reader" done.h5 >out
says "$(printf '%.6g J at the end' "$energy")"
echo "3 recordings read"
