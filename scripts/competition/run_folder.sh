#!/bin/bash
# run_folder.sh FOLDER RESULTS.csv [SECONDS]: all of FOLDER/instances.csv through the competition's scripts, one after the
# other, as the competition's own table: category, network, query, time of preparation, result, time of the run.
set -u
if [ $# -lt 2 ] || [ ! -f "$1/instances.csv" ]; then
  echo "usage: run_folder.sh FOLDER RESULTS.csv [SECONDS]; FOLDER has an instances.csv" >&2
  exit 2
fi
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="$1" table="$2" category="$(basename "$(cd "$1" && pwd)")"
answer="$(mktemp)"
trap 'rm -f "$answer"' EXIT
: >"$table"
seconds() { awk "BEGIN { printf \"%.2f\", $2 - $1 }"; }
while IFS=, read -r network query timeout expected _; do
  case "$network" in *.onnx | *.onnx.gz) ;; *) continue ;; esac # names of columns
  timeout="${3:-${timeout%$'\r'}}"
  began=$(date +%s.%N)
  result=error prepared=0 ended=$began
  if "$here/prepare_instance.sh" v1 "$category" "$folder/$network" "$folder/$query" </dev/null; then
    prepared=$(date +%s.%N)
    "$here/run_instance.sh" v1 "$category" "$folder/$network" "$folder/$query" "$answer" "$timeout" </dev/null
    ended=$(date +%s.%N)
    result="$(head -n 1 "$answer")"
  else
    prepared=$(date +%s.%N) ended=$(date +%s.%N)
  fi
  echo "$category,$network,$query,$(seconds "$began" "$prepared"),$result,$(seconds "$prepared" "$ended")" >>"$table"
  case "$result/${expected:-}" in
    sat/unsat | unsat/sat) echo "WRONG: $network $query is $expected, not $result" >&2 ;;
  esac
done <"$folder/instances.csv"
awk -F, '{ n[$5]++; t[$5] += $6 } END { for (r in n) printf "%s: %d, %.1f s\n", r, n[r], t[r] }' "$table"
