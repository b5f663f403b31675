#!/usr/bin/env bash
# abi.sh FOLDER WORK [record]: the types and functions of webnn/c/*.h are those of the recorded
# baseline, or only add to it. The library's own symbols are what symbols.sh compares.
set -euo pipefail
folder=$1 work=$2 baseline=$1/tests/c/abi/libwebnn_c.abi
for tool in abidw abidiff; do
  command -v $tool >/dev/null || { echo "skipped: there is no $tool (abigail-tools)"; exit 77; }
done
[ "$(uname -m)" = x86_64 ] || { echo "skipped: the baseline is that of x86_64"; exit 77; }
mkdir -p "$work"
# Each declaration becomes a definition, so that debug information has its types.
{
  echo '#include <stdlib.h>'
  echo '#include "webnn/c/webnn.h"'
  cat "$folder"/include/webnn/c/*.h | tr '\n' ' ' | grep -oE 'WEBNN_C_API [^;(]*\([^;]*\);' |
    sed -E 's/WEBNN_C_API (.*);/\1 { abort(); }/'
} >"$work/abi.c"
"${CC:-cc}" -std=c99 -g -O0 -w -fPIC -shared -I"$folder/include" "$work/abi.c" -Wl,-soname,libwebnn_c.so.1 \
  -o "$work/libwebnn_c.so.1"
abidw --no-comp-dir-path --no-corpus-path --no-show-locs --type-id-style hash "$work/libwebnn_c.so.1" \
  --out-file "$work/now.abi"
if [ "${3:-}" = record ]; then
  sed "s|path='$work/|path='|" "$work/now.abi" >"$baseline"
  exit
fi
# 4 and 8: a change, and one that breaks programs. Functions that are new are no difference.
abidiff --no-added-syms "$baseline" "$work/libwebnn_c.so.1" || {
  echo "the ABI is not the recorded one: tests/c/abi.sh . WORK record, if nothing breaks"
  exit 1
}
