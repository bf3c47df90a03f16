#!/usr/bin/env bash
# scripts/check_arrows.sh [ROOT]: arrows between rooms point one way, and nothing goes around them.
# scripts/check_arrows.sh --self-test: trees with one fault each must be refused, a good one accepted.
#
# The arrows are those of linchpin_room() in linchpin/<room>/CMakeLists.txt (DEPENDS, for tests also TEST_LINK) and
# stand nowhere else. A room may be a folder below another one, such as linchpin/dynamics/tree; a file belongs to the
# innermost room around it. A file of a room may include its own room and all rooms that DEPENDS reaches; its tests
# (*_test.cc) also what TEST_LINK reaches. bench, apps, tests and examples may include any room. Refused besides: a
# cycle, an unknown room, an include that climbs out by "../" or reaches into the folders above the rooms, a .cc that
# its room does not list, since that may be a test never run (a .h may stay unlisted: it is private then), Eigen in
# what a user includes or what is compiled for the machine (cmake/room.cmake says why), a .h without #pragma once, and a
# .cc whose first include is not the .h of its stem: that .cc shows that the header compiles alone. A type of a named
# namespace has one definition, also in apps, bench and examples: of two in a program the linker mixes the functions.
# Prints file:line of each fault; status 1 when there is one.
set -euo pipefail

self=$(readlink -f "${BASH_SOURCE[0]}")

# check_types FILE...: types at namespace scope, which clang-format starts in the first column.
check_types() {
  awk '
    FNR == 1 { space = ""; unnamed = 0 }
    /^namespace \{/ { unnamed = 1 }
    /^namespace [a-z_:]+ \{/ { space = $2 "::" }
    /^\}  \/\/ namespace$/ { unnamed = 0 }
    !unnamed && /^(struct|class|union|enum) / {
      name = $0
      gsub(/ (alignas\([^)]*\)|\[\[[^]]*\]\])/, "", name)
      if (name !~ /^(struct|class|union|enum)( class)? [A-Za-z0-9_]+( final)?( :.*)? \{/) next
      sub(/^(struct|class|union|enum)( class)? /, "", name)
      sub(/[^A-Za-z0-9_].*/, "", name)
      name = space name
      if (name in defined) {
        print FILENAME ":" FNR ": " name " is also a type of " defined[name]
        faults++
      }
      defined[name] = FILENAME ":" FNR
    }
    END { exit faults > 0 }' "$@"
}

check() {
  local root=$1 status=0
  local -a lists files programs
  cd "$root"
  if [[ ! -d linchpin ]]; then
    echo "check_arrows: no folder linchpin in $root" >&2
    return 2
  fi
  mapfile -t lists < <(find linchpin -mindepth 2 -name CMakeLists.txt | sort)
  mapfile -t files < <(find linchpin -mindepth 2 -type f \( -name '*.h' -o -name '*.cc' -o -name '*.inc' \) | sort)
  mapfile -t programs < <(find apps bench examples tests -type f \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort)
  if ((${#lists[@]} == 0)); then
    echo "check_arrows: no room in $root/linchpin" >&2
    return 2
  fi
  awk '
    BEGIN { for (i = 1; i < ARGC; i++) is_file[ARGV[i]] = 1 }

    function fault(where, what) { print where ": " what; faults++ }

    # The innermost room around linchpin/..., or "" where there is none.
    function room_of(file,    name) {
      name = file
      sub(/^linchpin\//, "", name)
      while (sub(/\/[^\/]*$/, "", name)) if (name in is_room) return name
      return ""
    }

    # Adds to set[] all rooms that from reaches, itself included.
    function reach(from, set,    i, n, next_rooms) {
      if (from in set) return
      set[from] = 1
      n = split(depends[from], next_rooms, " ")
      for (i = 1; i <= n; i++) reach(next_rooms[i], set)
    }

    function see_all_lists(    r, i, n, names, set) {
      for (r in is_room) {
        n = split(depends[r], names, " ")
        for (i = 1; i <= n; i++) {
          if (!(names[i] in is_room)) {
            fault(list_of[r] ":" call_line[r], "depends on " names[i] ", which is no room")
            continue
          }
          split("", set)
          reach(names[i], set)
          if (r in set) fault(list_of[r] ":" call_line[r], "depends on itself through " names[i])
        }
      }
    }

    # Stage 1, the CMakeLists: words of linchpin_room( ... ), collected under the keyword before them.
    FILENAME ~ /CMakeLists\.txt$/ {
      if (FNR == 1) {
        room = FILENAME
        sub(/^linchpin\//, "", room)
        sub(/\/CMakeLists\.txt$/, "", room)
        in_call = 0
      }
      line = $0
      sub(/#.*/, "", line)
      gsub(/\(/, " ( ", line)
      gsub(/\)/, " ) ", line)
      gsub(/"/, " ", line)
      n = split(line, word, " ")
      for (i = 1; i <= n; i++) {
        w = word[i]
        if (tolower(w) == "linchpin_room") {
          in_call = 1
          is_room[room] = 1
          list_of[room] = FILENAME
          call_line[room] = FNR
        } else if (!in_call) {
          if (w ~ /\.cc$/) listed["linchpin/" room "/" w] = "OTHER"  # of a target for tests, beside the room
        } else if (w == "(") {
          continue
        } else if (w == ")") {
          in_call = 0
        } else if (w ~ /^(NAME|DEPENDS|HEADERS|SOURCES|KERNELS|LANES|APART|TESTS|LINK|TEST_LINK)$/) {
          key = w
        } else if (key == "DEPENDS") {
          depends[room] = depends[room] " " w
        } else if (key == "TEST_LINK") {
          test_link[room] = test_link[room] " " w
        } else if (key ~ /^(HEADERS|SOURCES|KERNELS|LANES|APART|TESTS)$/) {
          listed["linchpin/" room "/" w] = key
        }
      }
      next
    }

    # Stage 2, the files.
    FNR == 1 {
      if (!seen_lists++) see_all_lists()
      room = room_of(FILENAME)
      own_header = FILENAME
      if (!sub(/\.cc$/, ".h", own_header) || !(own_header in is_file)) own_header = ""
      if (FILENAME ~ /\.h$/) needs_once[FILENAME] = 1
      is_test = FILENAME ~ /_test\.cc$/
      if (room == "") {
        fault(FILENAME ":1", "is in no room: no folder around it has a CMakeLists.txt with linchpin_room")
      } else if (FILENAME ~ /\.cc$/ && !(FILENAME in listed)) {
        fault(FILENAME ":1", "not listed in " list_of[room])
      }
      split("", may)
      reach(room, may)
      if (is_test) {
        n = split(test_link[room], word, " ")
        for (i = 1; i <= n; i++) {
          sub(/^linchpin::/, "", word[i])
          if (word[i] in is_room) reach(word[i], may)
        }
      }
    }
    /^[ \t]*#[ \t]*pragma[ \t]+once[ \t]*$/ { delete needs_once[FILENAME] }
    /^[ \t]*#[ \t]*include[ \t]*["<]/ {
      target = $0
      sub(/^[^"<]*["<]/, "", target)
      sub(/[">].*/, "", target)
      n = split(target, path, "/")
      where = FILENAME ":" FNR
      if (own_header != "" && target != own_header)
        fault(where, "includes \"" target "\" before \"" own_header "\", the header of its stem")
      own_header = ""
      if (path[1] == "linchpin") includes[FILENAME] = includes[FILENAME] " " target
      if (path[1] == "Eigen" || path[1] == "unsupported") eigen_at[FILENAME] = where
      if (target ~ /(^|\/)\.\.\//) {
        fault(where, "includes \"" target "\": spell it from the root of the repository")
      } else if (path[1] == "linchpin" && room_of(target) == "") {
        fault(where, "includes \"" target "\", which is in no room")
      } else if (path[1] == "linchpin" && !(room_of(target) in may)) {
        fault(where, "room " room " may not include room " room_of(target) " (\"" target "\")")
      } else if (!is_test && n > 1 && path[1] ~ /^(apps|bench|tests|examples|python)$/) {
        fault(where, "room " room " may not include " path[1] " (\"" target "\")")
      }
    }

    # Where Eigen comes in from file on, or "".
    function eigen_from(file, set,    i, n, names, found) {
      if (file in set) return ""
      set[file] = 1
      if (file in eigen_at) return eigen_at[file]
      n = split(includes[file], names, " ")
      for (i = 1; i <= n; i++) {
        found = eigen_from(names[i], set)
        if (found != "") return found
      }
      return ""
    }

    END {
      if (!seen_lists) see_all_lists()
      for (file in needs_once) fault(file ":1", "has no #pragma once")
      for (file in listed) {
        if (listed[file] !~ /^(HEADERS|KERNELS|LANES)$/) continue
        split("", set)
        found = eigen_from(file, set)
        if (found != "") fault(found, "Eigen may not be in " file ", one of the " listed[file] " of its room")
      }
      exit faults > 0
    }' "${lists[@]}" "${files[@]}" || status=1
  check_types "${files[@]}" "${programs[@]}" || status=1
  return $status
}

# A tree of five rooms, a <- b <- c, and d and a/inner apart, which each case then spoils.
good_tree() {
  local tree=$1
  mkdir -p "$tree"/linchpin/{a,a/inner,b,c,d} "$tree/apps"
  printf 'linchpin_room(NAME a HEADERS a.h)\n' >"$tree/linchpin/a/CMakeLists.txt"
  printf 'linchpin_room(\n  NAME b\n  DEPENDS a  # d\n  HEADERS b.h SOURCES b.cc)\n' >"$tree/linchpin/b/CMakeLists.txt"
  printf 'linchpin_room(NAME c DEPENDS b HEADERS c.h TESTS c_test.cc TEST_LINK d)\n' >"$tree/linchpin/c/CMakeLists.txt"
  printf 'linchpin_room(NAME d HEADERS d.h)\n' >"$tree/linchpin/d/CMakeLists.txt"
  printf 'linchpin_room(NAME a/inner DEPENDS d HEADERS i.h)\n' >"$tree/linchpin/a/inner/CMakeLists.txt"
  printf '#pragma once\n#include "linchpin/d/d.h"\n' >"$tree/linchpin/a/inner/i.h"
  printf '#pragma once\n#include <vector>\n' | tee "$tree/linchpin/a/a.h" >"$tree/linchpin/d/d.h"
  printf '#pragma once\n#include "linchpin/a/a.h"\nnamespace linchpin {\nstruct B {\n};\n}\n' >"$tree/linchpin/b/b.h"
  printf '#include "linchpin/b/b.h"\nnamespace {\nstruct B {\n};\n}  // namespace\n' >"$tree/linchpin/b/b.cc"
  printf '#pragma once\n#include "linchpin/b/b.h"\n#include <linchpin/a/a.h>\n' >"$tree/linchpin/c/c.h"
  printf '#include "linchpin/c/c.h"\n#include "linchpin/d/d.h"\n' >"$tree/linchpin/c/c_test.cc"
  printf '#include "linchpin/c/c.h"\n#include "linchpin/d/d.h"\n' >"$tree/apps/main.cc"
}

self_test() {
  local faults=0 tree name file text expected output status
  top=$(mktemp -d)  # not local: the trap needs it
  trap 'rm -rf "$top"' EXIT

  good_tree "$top/good"
  if ! output=$("$self" "$top/good") || [[ -n $output ]]; then
    echo "FAILED: the good tree was refused: $output"
    faults=1
  fi
  # name | file to append to | line appended | start of the expected message
  while IFS='|' read -r name file text expected; do
    tree=$top/$name
    good_tree "$tree"
    printf '%b\n' "$text" >>"$tree/$file"
    if [[ $name == eigen-in-kernel ]]; then
      printf '#pragma once\n#include <Eigen/Dense>\n' >"$tree/linchpin/b/p.h"
      printf '#include "linchpin/b/p.h"\n' >>"$tree/linchpin/b/b.cc"
    elif [[ $name == no-own-header-first ]]; then
      printf '#include <vector>\n#include "linchpin/b/n.h"\n' >"$tree/linchpin/b/n.cc"
      sed -i 's/b.cc/b.cc n.cc/' "$tree/linchpin/b/CMakeLists.txt"
    fi
    status=0
    output=$("$self" "$tree") || status=$?
    if ((status != 1)) || [[ $output != "$expected"* ]]; then
      echo "FAILED: $name: status $status, expected 1 and '$expected', got: $output"
      faults=1
    fi
  done <<'CASES'
upward|linchpin/a/a.h|#include "linchpin/b/b.h"|linchpin/a/a.h:3: room a may not include room b
sideways|linchpin/b/b.cc|  #  include <linchpin/d/d.h>|linchpin/b/b.cc:6: room b may not include room d
test-link-is-for-tests|linchpin/c/c.h|#include "linchpin/d/d.h"|linchpin/c/c.h:4: room c may not include room d
into-inner-room|linchpin/a/a.h|#include "linchpin/a/inner/i.h"|linchpin/a/a.h:3: room a may not include room a/inner
out-of-inner-room|linchpin/a/inner/i.h|#include "linchpin/a/a.h"|linchpin/a/inner/i.h:3: room a/inner may not include room a
climbing|linchpin/b/b.cc|#include "../d/d.h"|linchpin/b/b.cc:6: includes "../d/d.h"
app|linchpin/b/b.cc|#include "apps/main.h"|linchpin/b/b.cc:6: room b may not include apps
no-room|linchpin/b/b.cc|#include "linchpin/all.h"|linchpin/b/b.cc:6: includes "linchpin/all.h", which is in no room
unlisted|linchpin/b/forgotten_test.cc|int x;|linchpin/b/forgotten_test.cc:1: not listed
cycle|linchpin/d/CMakeLists.txt|linchpin_room(NAME d DEPENDS d HEADERS d.h)|linchpin/d/CMakeLists.txt:2: depends on itself
unknown|linchpin/d/CMakeLists.txt|linchpin_room(NAME d DEPENDS e HEADERS d.h)|linchpin/d/CMakeLists.txt:2: depends on e, which is no room
eigen-in-header|linchpin/b/b.h|#include <Eigen/Core>|linchpin/b/b.h:7: Eigen may not be in linchpin/
no-own-header-first|linchpin/b/n.h|#pragma once|linchpin/b/n.cc:1: includes "vector" before "linchpin/b/n.h"
same-type|apps/main.cc|namespace linchpin {\ntemplate <class T>\nstruct B : C<T> {\n};\n}\n|apps/main.cc:5: linchpin::B is also a type of linchpin/b/b.h:4
included-twice|linchpin/b/p.h|int x;|linchpin/b/p.h:1: has no #pragma once
eigen-in-kernel|linchpin/b/CMakeLists.txt|linchpin_room(NAME b KERNELS b.cc SOURCES p.h)\n#|linchpin/b/p.h:2: Eigen may not be in linchpin/b/b.cc
CASES
  mkdir -p "$top/empty"
  if "$self" "$top/empty" 2>/dev/null; then
    echo "FAILED: a tree without rooms was accepted"
    faults=1
  fi
  return $faults
}

case ${1:-} in
  --self-test) self_test ;;
  *) check "$(readlink -f "${1:-$(dirname "$self")/..}")" ;;
esac
