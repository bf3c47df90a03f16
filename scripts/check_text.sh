#!/usr/bin/env bash
# scripts/check_text.sh: no line of code or text is longer than 120 columns, and no line ends in blanks.
#
# All files that git tracks, except data, pictures and lock files. Rows of tables may be longer, since a row is one
# line: those of Markdown, and those of test cases in scripts, with | between their columns. So may lines of code that
# mutation_equivalent.txt quotes. Prints file:line of each fault; status 1 when there is one.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

# Without git (a source archive), the folders themselves.
files() { git ls-files 2>/dev/null || find . -type f -not -path './build*' -not -path '*/node_modules/*'; }

files | grep -E '\.(h|cc|inc|md|sh|awk|py|cmake|txt|ts|mjs|css|html)$|^(run|test)$|^\.ci/run$' |
  grep -vE '^models/|(^|/)node_modules/|package-lock\.json$' | LC_ALL=C.UTF-8 xargs awk '
  { row = (FILENAME ~ /\.md$/ && /^\|/) || (FILENAME ~ /\.sh$/ && /^[a-z-]+\|.*\|/) ||
          (FILENAME ~ /mutation_equivalent\.txt$/ && /^[-+] /) }
  length($0) > 120 && !row { print FILENAME ":" FNR ": " length($0) " columns"; faults++ }
  /[ \t]$/ { print FILENAME ":" FNR ": blanks at the end"; faults++ }
  END { exit faults > 0 }'
