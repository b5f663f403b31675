#!/bin/sh
# How long a user's file takes to compile: seconds of processor time, the median of five runs, for
# nothing but standard headers, for the public headers, and with a call of every operator.
# usage: bench/compile_time/run.sh [compiler] [flags...]
cd "$(dirname "$0")/../.." || exit 1
compiler=${1:-g++}
[ $# -gt 0 ] && shift
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

cat > "$out/standard.cpp" <<'TEXT'
#include <algorithm>
#include <functional>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <variant>
#include <vector>
TEXT
grep '#include <webnn/' bench/compile_time/every_operator.cpp > "$out/headers.cpp"

seconds() {
  for run in 1 2 3 4 5; do
    bash -c 'TIMEFORMAT="%U %S"; time "$@" 1>&2' measure "$compiler" -std=c++20 -O2 -Iinclude \
      "$@" -o "$out/out.o" 2>&1 | awk 'NF == 2 && $1 + 0 == $1 { print $1 + $2 }'
  done | sort -n | sed -n 3p
}
for file in "$out/standard.cpp" "$out/headers.cpp" bench/compile_time/every_operator.cpp; do
  printf '%-16s %s s\n' "$(basename "$file" .cpp)" "$(seconds "$@" -c "$file")"
done
