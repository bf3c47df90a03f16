#!/usr/bin/env bash
# scripts/check_architecture.sh [--write]: docs/architecture.md against the source tree.
#
#   1. Its drawing of the rooms is the one that the DEPENDS of linchpin_room() in linchpin/**/CMakeLists.txt give.
#      --write replaces the drawing in the page.
#   2. Each room has a row in its table of rooms, and no other folder has.
#   3. Each row of a table with the columns "function" and "file" names a function that stands in that file.
#
# Prints each fault; status 1 when there is one.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
page=docs/architecture.md

# The drawing, as a Mermaid graph: one line per arrow, from a room to a room that uses it.
draw() {
  echo '```mermaid'
  echo 'graph LR'
  find linchpin -mindepth 2 -name CMakeLists.txt | sort | while read -r list; do
    room=${list#linchpin/}
    room=${room%/CMakeLists.txt}
    sed 's/#.*//' "$list" | tr '()\n' '   ' | awk -v room="$room" '
      {
        for (i = 1; i <= NF; i++) {
          if ($i ~ /^(NAME|DEPENDS|HEADERS|SOURCES|KERNELS|LANES|APART|TESTS|LINK|TEST_LINK)$/) key = $i
          else if ($i ~ /^[a-z_]+$/ && key != "DEPENDS") key = ""
          else if (key == "DEPENDS") print "  " node($i) " --> " node(room)
        }
      }
      # Mermaid takes no slash in the name of a node, only in its label.
      function node(name,    id) {
        id = name
        return gsub("/", "_", id) ? id "[\"" name "\"]" : id
      }'
  done
  echo '```'
}

# The drawing that is in the page.
drawn() { awk '/^```mermaid$/ { on = 1 } on { print } on && /^```$/ { exit }' "$page"; }

if [[ ${1:-} == --write ]]; then
  draw >"$page.drawing"
  awk -v drawing="$page.drawing" '
    /^```mermaid$/ { while ((getline line < drawing) > 0) print line; skip = 1; next }
    skip && /^```$/ { skip = 0; next }
    !skip' "$page" >"$page.new"
  rm "$page.drawing"
  mv "$page.new" "$page"
  exit
fi

faults=0
if ! difference=$(diff <(drawn) <(draw)); then
  echo "$page: the drawing of the rooms is out of date (scripts/check_architecture.sh --write):"
  echo "$difference"
  faults=1
fi

rooms=$(find linchpin -mindepth 2 -name CMakeLists.txt -printf '%P\n' | sed 's#/CMakeLists.txt##' | sort)
listed=$(awk -F'|' '/^\| room \|/ { on = 1; next } on && !/^\|/ { exit } on && /`/ { print $2 }' "$page" |
  grep -o '`[^`]*`' | tr -d '`' | sort)
if ! difference=$(diff <(echo "$listed") <(echo "$rooms")); then
  echo "$page: its table of rooms is not that of linchpin/ ('<' listed, '>' there):"
  echo "$difference"
  faults=1
fi

# Rows "| ... | `function` | `file` | ..." after a head "| ... | function | file | ...".
while IFS=$'\t' read -r line name file; do
  if [[ ! -f linchpin/$file ]]; then
    echo "$page:$line: there is no linchpin/$file"
    faults=1
  elif ! grep -qE "(^|[^a-zA-Z_])${name##*::}\(" "linchpin/$file"; then
    echo "$page:$line: linchpin/$file has no function $name"
    faults=1
  fi
done < <(awk -F'|' '
  /^\|/ && !column { for (i = 2; i < NF; i++) if ($i ~ /^ *function *$/ && $(i + 1) ~ /^ *file *$/) column = i; next }
  !/^\|/ { column = 0 }
  column && /`/ {
    name = $column; file = $(column + 1)
    gsub(/[` ]/, "", name); gsub(/[` ]/, "", file); sub(/\(.*/, "", name)
    if (name != "") print FNR "\t" name "\t" file
  }' "$page")

exit "$faults"
