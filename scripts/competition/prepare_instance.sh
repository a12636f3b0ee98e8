#!/bin/bash
# The competition's second script: v1 CATEGORY NET.onnx PROPERTY.vnnlib. Nothing is made ahead of time; it says whether the
# network can be read (0) or not (1), so that an instance without a chance takes none.
if [ "$1" != v1 ] || [ $# -lt 4 ]; then
  echo "usage: prepare_instance.sh v1 CATEGORY NET.onnx PROPERTY.vnnlib" >&2
  exit 1
fi
here="$(dirname "${BASH_SOURCE[0]}")/../.."
for file in "$3" "$4"; do
  if [ ! -f "$file" ] && [ ! -f "$file.gz" ]; then
    echo "prepare_instance.sh: there is no file $file" >&2
    exit 1
  fi
done
network="$3"
[ -f "$network" ] || network="$network.gz"
node "$here/packages/cli/bin/lemmata.js" info "$network" --json >/dev/null || exit 1
