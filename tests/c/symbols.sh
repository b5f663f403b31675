#!/usr/bin/env bash
# symbols.sh LIBRARY FOLDER: the library exports the functions of webnn/c/*.h, and nothing else.
set -euo pipefail
command -v nm >/dev/null || { echo "skipped: there is no nm"; exit 77; }
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
declared=$(cat "$2"/include/webnn/c/*.h | tr '\n' ' ' | grep -oE 'WEBNN_C_API [^;(]*\(' |
  grep -oE 'webnn_[a-z0-9_]+\(' | tr -d '(' | sort)
diff <(echo "$declared") <(echo "$exported") || { echo "< declared, > exported"; exit 1; }
echo "$(wc -l <<<"$exported") functions"
