#!/usr/bin/env bash
# Checks a fleet of catalogs, and compares with the last night without findings.
#
#   nightly.sh FLEET
#
# FLEET/targets/*.toml   a profile for each catalog, written by `lakepact probe --profile`, with `version`
# FLEET/known.txt        known results (optional); what is to stay as it is tonight belongs there
# FLEET/landed/          all runs as Delta tables; FLEET/runs/ keeps this night and the one compared with
#
# Exit code: 0 nothing new, 1 a requirement that passed is broken or no longer judged, or catalogs
# differ where they did not, 3 a catalog did not answer to the end.
set -euo pipefail
cd "$1"
mkdir -p runs
run="runs/$(date -u +%Y-%m-%dT%H%M%S)"
[ -d plan ] || lakepact campaign plan --seeds "${SEEDS:-0:8}" --modes effect,reading,check --out plan
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
[ -e last ] && options+=(--base "$(cat last)" --fail-on regression --fail-on divergence)
[ -e known.txt ] && options+=(--known known.txt)
changed=0
lakepact campaign report --run "$run" --engine local "${options[@]}" || changed=$?
lakepact campaign land --run "$run" --as delta --to landed
lakepact campaign trends --from landed --out trends.html
[ "$code" = 0 ] || exit "$code"
if [ "$changed" = 0 ] || ! [ -e last ]; then echo "$run" > last; fi
# landed/ has the tables of the others
find runs -mindepth 1 -maxdepth 1 ! -path "$run" ! -path "$(cat last)" -exec rm -r {} +
exit "$changed"
