#!/usr/bin/env bash
# Runs the benchmarks of a build folder; with Node, MobileNetV2 also in ONNX Runtime, turn by turn.
#   bench/run.sh BUILD_FOLDER [rounds]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$(cd "$1" && pwd)/bench
rounds=${2:-5}

for name in dispatch alternate convolutions memory_bound quantized; do
  [ -x "$programs/$name" ] || continue
  echo "== $name"
  "$programs/$name"
done

[ -x "$programs/mobilenet_v2" ] || exit 0
echo "== mobilenet_v2, batch of one image, float32"
# nchw, the layout that the ONNX model has: what --export writes has to be the same image.
"$programs/mobilenet_v2" --export "$programs/mobilenet_v2.data" --seconds 0.2 >/dev/null

peer=
if command -v npm >/dev/null; then
  mkdir -p "$programs/onnxruntime"
  cp "$here"/onnxruntime/* "$programs/onnxruntime/"
  # --ignore-scripts: the install script would fetch GPU libraries that this does not use.
  if (cd "$programs/onnxruntime" && npm install --ignore-scripts --no-audit --no-fund --silent >npm.log 2>&1); then
    peer=$programs/onnxruntime/mobilenet_v2.mjs
  else
    echo "ONNX Runtime cannot be installed here: $(tail -1 "$programs/onnxruntime/npm.log")"
  fi
else
  echo "no npm: ONNX Runtime is left out"
fi

for threads in 1 2; do
  log=$programs/mobilenet_v2.$threads.jsonl
  : >"$log"
  for _ in $(seq "$rounds"); do
    "$programs/mobilenet_v2" --threads $threads >>"$log"
    [ -z "$peer" ] || node "$peer" "$programs/mobilenet_v2.data" --threads $threads >>"$log"
  done
  awk -v threads=$threads '
    function number(name,   s) { s = $0; sub(".*\"" name "\":", "", s); return s + 0 }
    function median(a, n,   i, k, t) {
      for (i = 2; i <= n; ++i) for (k = i; k > 1 && a[k] < a[k-1]; --k) { t = a[k]; a[k] = a[k-1]; a[k-1] = t }
      return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
    }
    /"webnn"/ { ours[++n] = number("median_ms") }
    /"onnxruntime"/ { theirs[++m] = number("median_ms"); d = number("relative_difference") }
    END {
      printf "%d threads: webnn %.3f ms", threads, median(ours, n)
      if (m) printf ", ONNX Runtime %.3f ms, ratio %.2f, relative difference %.1e", median(theirs, m), median(theirs, m) / median(ours, n), d
      print ""
    }' "$log"
done
