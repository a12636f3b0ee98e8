#!/bin/bash
# The competition's third script: v1 CATEGORY NET.onnx PROPERTY.vnnlib RESULTS TIMEOUT. Writes sat (with the witness), unsat,
# unknown, timeout or error as the first line of RESULTS.
if [ "$1" != v1 ] || [ $# -lt 6 ]; then
  echo "usage: run_instance.sh v1 CATEGORY NET.onnx PROPERTY.vnnlib RESULTS TIMEOUT" >&2
  exit 1
fi
here="$(dirname "${BASH_SOURCE[0]}")/../.."
network="$3" query="$4" results="$5" timeout="$6"
[ -f "$network" ] || network="$network.gz"
[ -f "$query" ] || query="$query.gz"
# All cores: where inputs are halved, processes share what is open; where units are split, the runtime's threads do.
workers="$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)"
# The competition counts a witness up to 1e-4 beyond the box, and the whole run.
answer="$(node "$here/packages/cli/bin/lemmata.js" verify "$query" --network "$network" --timeout "$timeout" \
  --max-time "$timeout" --tolerance 1e-4 --workers "$workers" --quiet 2>"$results.log")"
status=$?
case "$answer" in
  sat*|unsat*|unknown*) printf '%s\n' "$answer" >"$results" ;;
  timed-out*) echo timeout >"$results" ;;
  *)
    if grep -q "max-time\|out of time\|memory" "$results.log"; then echo timeout >"$results"; else echo error >"$results"; fi
    cat "$results.log" >&2 ;;
esac
rm -f "$results.log"
[ $status -le 3 ] && [ $status -ne 2 ]
