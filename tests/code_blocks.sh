#!/usr/bin/env bash
# code_blocks.sh PAGE LINCHPIN: runs every ```sh block of a Markdown page, in the page's order, in one empty directory.
#
# There `./run` and `linchpin` are both the built program, and `models` and `examples` are the repository's. A block
# that ends with a status other than 0 fails the test. A block must begin with ./run or linchpin; commands that are only
# shown belong into a ```console block.
set -euo pipefail

page=$(readlink -f "$1")
linchpin=$(readlink -f "$2")
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT

mkdir "$top/blocks" "$top/bin" "$top/page"
ln -s "$linchpin" "$top/bin/linchpin"
ln -s "$linchpin" "$top/page/run"
ln -s "$root/models" "$root/examples" "$top/page"
export PATH=$top/bin:$PATH

awk -v language=sh -v prefix="$top/blocks/" -v suffix=.sh -f "$root/scripts/extract_code_blocks.awk" "$page" \
  >"$top/list"
failed=0
while read -r block; do
  read -r first _ <"$block" || true
  if [[ $first != ./run && $first != linchpin ]]; then
    echo "FAILED: a sh block begins with '$first', neither ./run nor linchpin (shown only: \`\`\`console)"
    failed=1
    continue
  fi
  sed 's/^/$ /' "$block"
  status=0
  (cd "$top/page" && bash -euo pipefail "$block") </dev/null >"$top/out" 2>&1 || status=$?
  if ((status)); then
    cat "$top/out"
    echo "FAILED: status $status"
    failed=1
  fi
done <"$top/list"
echo "$(wc -l <"$top/list") blocks of ${page#"$root"/} run"
exit $failed
