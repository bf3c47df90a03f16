#!/usr/bin/env bash
# viewer.sh VIEWER TEST: runs VIEWER/test/TEST.mjs by node; status 77, with the reason, where that cannot be.
set -euo pipefail

viewer=$1
name=$2
skip() {
  echo "skipped: viewer_$name: $1"
  exit 77
}
command -v node >/dev/null || skip "there is no node"
[[ -s ${LINCHPIN_PAGE:-} ]] || skip "the viewer's page was not built (LINCHPIN_BUILD_VIEWER, viewer/npm.log in the build folder)"
[[ -d $viewer/node_modules ]] || skip "viewer/node_modules is not there"
cd "$viewer"
exec node "test/$name.mjs"
