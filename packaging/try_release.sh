#!/usr/bin/env bash
# Installs the files of a release in empty systems and uses them, by the lines of docs/guide/install.md:
#   try_release.sh FOLDER bookworm|trixie SECTION   a section of the page (debian, any-linux), in a new
#                                                   root of that Debian
#   try_release.sh FOLDER libc                      the command of the archive, where there is only glibc
# It needs root and debootstrap. Roots are kept in TRY_ROOTS (/var/tmp/webnn-roots) and copied. Each block
# of the page may take LIMIT seconds (180).
set -euo pipefail
files=$(cd "$1" && pwd) system=$2 section=${3:-}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
roots=${TRY_ROOTS:-/var/tmp/webnn-roots}
mkdir -p "$roots"
root=$(mktemp -d "$roots/try.XXXXXX")
chmod 755 "$root"
finish() {
  umount "$root/proc" "$root/dev" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap finish EXIT
fail() { echo "try_release: $*" >&2; exit 1; }
row='^ *1 +(1\.0000|0\.9[0-9]+) +0$'  # what the command prints: the first place, the score, the class

if [ "$system" = libc ]; then
  # Not even a shell: the loader, glibc, and what the archive has.
  mkdir -p "$root/lib64" "$root/lib/x86_64-linux-gnu"
  cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64"
  cp -L /lib/x86_64-linux-gnu/lib{c,m}.so.6 "$root/lib/x86_64-linux-gnu"
  tar -xf "$files"/webnn-*-linux-*.tar.gz -C "$root"
  mv "$root"/webnn-* "$root/webnn"
  chroot "$root" /webnn/bin/webnn run /webnn/share/webnn/digits.onnx --image /webnn/share/webnn/zero.png \
    --scale 0.0627 --top-k 1 | tee "$root/printed"
  grep -qE "$row" "$root/printed" || fail "the command did not find the digit"
  exit
fi

base=$roots/$system.tar
if [ ! -e "$base" ]; then
  mirror=${DEBIAN_MIRROR:-$(sed -n 's/^URIs: *//p; s/^deb \(\[.*\] \)\?\([^ ]*\).*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1)}
  # shellcheck disable=SC2086
  debootstrap --variant=minbase "$system" "$root" $mirror >"$roots/$system.log" 2>&1 ||
    { tail "$roots/$system.log" >&2; exit 1; }
  cp -f /etc/apt/apt.conf.d/*prox* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  tar -C "$root" -cf "$base.part" .
  mv "$base.part" "$base"
else
  tar -C "$root" -xf "$base"
fi
cp -f /etc/resolv.conf "$root/etc/"
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
mkdir "$root/try"
cp -r "$files"/. "$root/try"
cp "$source"/examples/install/digits.* "$root/try"
tar -xf "$files"/webnn-*-linux-*.tar.gz -C "$root/try" --strip-components=3 --wildcards '*/share/webnn/digits.onnx'
# The blocks of the section, in their order, each with its time. What a way begins with is there before:
# compilers, Python and Node on any Linux.
{
  echo 'set -ex; cd /try; apt-get update -qq'
  [ "$section" != any-linux ] ||
    echo 'apt-get install -y -qq --no-install-recommends g++ gcc libc6-dev pkgconf python3-venv python3-numpy nodejs npm'
  awk -v section="$section" -v limit="${LIMIT:-180}" '
    /^## / { title = tolower(substr($0, 4)); gsub(/[^a-z0-9]+/, "-", title); inside = title == section }
    /^```sh/ { if (inside) { block = 1; print "began=$(date +%s)" } next }
    /^```/ {
      if (block) {
        print "took=$(($(date +%s) - began)); echo \"block " ++n " took $took s\"; test $took -le " limit
      }
      block = 0
      next
    }
    block' "$source/docs/guide/install.md"
} >"$root/try/lines.sh"
grep -q began "$root/try/lines.sh" || fail "the page has no section $section"
wheels=("$files"/webnn-*.whl)
python=$([ "$system" = bookworm ] && echo cp311 || echo cp313)
expected=4
if [ "$section" = any-linux ] && [[ "${wheels[*]}" != *-"$python"-* ]]; then
  echo "try_release: there is no wheel for $python: without Python" >&2
  sed -i '/^python3 -m venv/d; /^venv/d' "$root/try/lines.sh"
  expected=3
fi
chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 \
  sh /try/lines.sh 2>"$root/try/trace" | tee "$root/try/printed" | grep -vE '^(Get|Selecting|Preparing|Unpacking)' ||
  { tail -40 "$root/try/trace" >&2; exit 1; }
grep -qE "$row" "$root/try/printed" || fail "the command did not find the digit"
found=$(grep -cE '^a 0 with (9[0-9]|100)' "$root/try/printed" || true)
[ "$found" = "$expected" ] || { tail -20 "$root/try/trace" >&2; fail "$found programs found the digit, not $expected"; }
