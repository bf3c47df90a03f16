#!/usr/bin/env bash
# build_page.sh VIEWER FOLDER AUTO|ON: builds the viewer's page from VIEWER with npm, as FOLDER/index.html.
#
# All build trees share VIEWER/node_modules, which is fetched again when package-lock.json has changed. When npm fails,
# ON fails; AUTO leaves an empty page, from which the program knows that it has none. FOLDER/npm.log has npm's output.
set -euo pipefail

viewer=$1
folder=$2
mode=$3
log=$folder/npm.log
mkdir -p "$folder"

build() {
  cd "$viewer" || return 1
  local lock
  lock=$(sha256sum <package-lock.json)
  if [[ $(cat node_modules/.linchpin-lock 2>/dev/null) != "$lock" ]]; then
    npm ci --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000 || return 1
    echo "$lock" >node_modules/.linchpin-lock
  fi
  npm run build -- --outDir "$folder/dist" --emptyOutDir || return 1
  [[ -s $folder/dist/index.html ]] && mv "$folder/dist/index.html" "$folder/index.html"
}

if (exec 8<"$viewer/package.json" && flock 8 && build) >"$log" 2>&1 </dev/null; then
  exit 0
fi
echo "viewer: npm could not build the page; see $log:" >&2
tail -n 5 "$log" >&2
[[ $mode == AUTO ]] || exit 1
: >"$folder/index.html"
