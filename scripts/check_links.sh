#!/usr/bin/env bash
# scripts/check_links.sh: every relative link of a Markdown page leads to a file or folder of the repository.
#
# Prints page:line and the target of each link that leads nowhere; status 1 when there is one.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

faults=0
count=0
while IFS=: read -r page line link; do
  target=${link#*](}
  target=${target%)}
  target=${target%%#*}
  [[ -z $target || $target =~ ^[a-z]+: ]] && continue
  count=$((count + 1))
  if [[ ! -e $(dirname "$page")/$target ]]; then
    echo "$page:$line: there is no $target"
    faults=1
  fi
done < <(find . -name '*.md' -not -path './build*' -not -path '*/node_modules/*' -print0 |
  xargs -0 grep -noE '\]\([^) ]+\)')
echo "$count links"
exit "$faults"
