#!/usr/bin/env bash
# Runs the benchmarks of a build folder; with Node, whole networks also in ONNX Runtime, turn by turn.
#   bench/run.sh BUILD_FOLDER [rounds]
#   bench/run.sh BUILD_FOLDER models [option of models.mjs...]
#   bench/run.sh BUILD_FOLDER scaling [--runs N] [NETWORK...]
#   bench/run.sh BUILD_FOLDER chromium [option of chromium.mjs...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$(cd "$1" && pwd)/bench
if [ "${2:-}" = scaling ]; then exec "$programs/scaling" "${@:3}"; fi
if [ "${2:-}" = chromium ]; then
  mkdir -p "$programs/chromium"
  cp "$here"/chromium/* "$programs/chromium/"
  (cd "$programs/chromium" && npm install --ignore-scripts --no-audit --no-fund --silent >npm.log 2>&1) ||
    { echo "Chromium cannot be installed here: $(tail -1 "$programs/chromium/npm.log")" >&2; exit 1; }
  exec node "$programs/chromium/chromium.mjs" "$programs" "${@:3}"
fi
options=(--rounds "${2:-5}")
if [ "${2:-}" = models ]; then
  options=("${@:3}")
else
  for name in dispatch callers alternate convolutions convolution_shapes growing_state memory_bound new_sizes quantized sampling \
    small_weights state_update; do
    [ -x "$programs/$name" ] || continue
    echo "== $name"
    "$programs/$name"
  done
  if [ -x "$programs/compiled" ]; then
    echo "== compiled graphs"
    "$programs/compiled" mobilenet_v2 resnet50
  fi
fi

[ -x "$programs/networks" ] || exit 0
echo "== networks, one input, float32"
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "no Node: ONNX Runtime is left out"
  for name in $("$programs/networks" --list); do "$programs/networks" "$name" --limit; done
  exit 0
fi
mkdir -p "$programs/onnxruntime"
cp "$here"/onnxruntime/* "$programs/onnxruntime/"
# --ignore-scripts: the install script would fetch GPU libraries that this does not use.
(cd "$programs/onnxruntime" && npm install --ignore-scripts --no-audit --no-fund --silent >npm.log 2>&1) ||
  echo "ONNX Runtime cannot be installed here: $(tail -1 "$programs/onnxruntime/npm.log")"
node "$here/models.mjs" "$programs" --out "$programs" "${options[@]}"
