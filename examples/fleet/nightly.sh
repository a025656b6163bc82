#!/usr/bin/env bash
# Checks a fleet of catalogs, and compares with the run of the night before.
#
#   nightly.sh FLEET
#
# FLEET/targets/*.toml   a profile for each catalog, written by `lakepact probe --profile`, with `version`
# FLEET/known.txt        known results (optional)
# FLEET/landed/          all runs as Delta tables; FLEET/runs/ keeps the last one
#
# Exit code: 0 nothing new, 1 a requirement that passed last night is broken, 3 a catalog did not answer to the end.
set -euo pipefail
cd "$1"
mkdir -p runs
run="runs/$(date -u +%Y-%m-%dT%H%M%S)"
[ -d plan ] || lakepact campaign plan --seeds "${SEEDS:-0:8}" --modes example,near,reading,sequence --out plan
targets=()
for file in targets/*.toml; do
  name=$(basename "$file" .toml)
  targets+=(--target "$name=$file")
done
code=0
lakepact campaign run --plan plan "${targets[@]}" --out "$run" --engine local || code=$?
[ "$code" = 0 ] || [ "$code" = 3 ] || exit "$code"
lakepact campaign judge --run "$run" --engine local || [ $? = 3 ]
options=()
[ -e last ] && options+=(--base "$(cat last)" --fail-on regression)
[ -e known.txt ] && options+=(--known known.txt)
changed=0
lakepact campaign report --run "$run" --engine local "${options[@]}" || changed=$?
lakepact campaign land --run "$run" --as delta --to landed
lakepact campaign trends --from landed --out trends.html
[ "$code" = 0 ] || exit "$code"
echo "$run" > last
find runs -mindepth 1 -maxdepth 1 ! -path "$run" -exec rm -r {} + # landed/ has their tables
exit "$changed"
