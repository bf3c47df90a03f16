#!/usr/bin/env bash
# guide_reasons.sh ROOT: every reason that docs/guide/09_troubleshooting.md quotes for a failed step is in linchpin/sim.
#
# The reasons are the quoted texts of the section "A step failed"; a text may go over several lines.
set -euo pipefail

root=$1
page=$root/docs/guide/09_troubleshooting.md

one_line() { tr -s ' \n' ' '; }
code=$(find "$root/linchpin/sim" -name '*.cc' -exec cat {} + | one_line | sed 's/" "//g')
reasons=$(sed -n '/^## A step failed/,/^## All steps/p' "$page" | one_line | grep -o '"[^"]*"')

failed=0
count=0
while read -r reason; do
  count=$((count + 1))
  if [[ $code != *"$reason"* ]]; then
    echo "FAILED: no file of linchpin/sim says $reason"
    failed=1
  fi
done <<<"$reasons"
if ((count < 15)); then
  echo "FAILED: only $count reasons found in $page"
  failed=1
fi
echo "$count reasons"
exit $failed
