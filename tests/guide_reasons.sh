#!/usr/bin/env bash
# guide_reasons.sh ROOT: every reason that docs/guide/09_troubleshooting.md quotes is in the code.
#
# For failed steps these are the quoted texts of the section "A step failed", which are in linchpin/sim. For
# certificates they are those of the sections up to "compile() refuses", which are in record/certificate_json.cc, or in
# sim where they name a figure; "..." stands for what varies. A text may go over several lines.
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

code+=$(one_line <"$root/linchpin/record/certificate_json.cc")
verdicts=$(sed -n '/^## All steps/,/^## compile() refuses/p' "$page" | one_line | grep -o '"[^"]*"' | tr -d '"')
found=0
while read -r verdict; do
  found=$((found + 1))
  while read -r part; do
    if [[ -n $part && $code != *"$part"* ]]; then
      echo "FAILED: neither certificate_json.cc nor a file of linchpin/sim says \"$part\""
      failed=1
    fi
  done <<<"${verdict//.../$'\n'}"
done <<<"$verdicts"
if ((found < 4)); then
  echo "FAILED: only $found reasons of certificates found in $page"
  failed=1
fi
count=$((count + found))
echo "$count reasons"
exit $failed
