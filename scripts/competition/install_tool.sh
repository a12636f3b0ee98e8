#!/bin/bash
# The verification competition's first script: installs the tool in its own folder. Called with "v1".
set -e
if [ "$1" != v1 ]; then
  echo "install_tool.sh: version \"$1\" of the interface is unknown, v1 is expected" >&2
  exit 1
fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ! node -e 'process.exit(process.versions.node.split(".")[0] >= 20 ? 0 : 1)' 2>/dev/null; then
  echo "install_tool.sh: Node.js 20 or newer is needed" >&2
  exit 1
fi
npm ci --prefer-offline
npm run build
