#!/usr/bin/env bash
# viewer.sh VIEWER TEST: runs VIEWER/test/TEST.mjs with node. Status 77, with the reason, if something is missing.
set -euo pipefail

viewer=$1
name=$2
skip() {
  echo "skipped: viewer_$name: $1"
  exit 77
}
command -v node >/dev/null || skip "node is not installed"
[[ -s ${LINCHPIN_PAGE:-} ]] ||
  skip "the viewer's page was not built (LINCHPIN_BUILD_VIEWER, viewer/npm.log in the build folder)"
[[ -d $viewer/node_modules ]] || skip "viewer/node_modules is missing"
cd "$viewer"
exec node "test/$name.mjs"
