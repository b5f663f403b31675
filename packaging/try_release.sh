#!/usr/bin/env bash
# Installs the files of a release in empty systems and uses them, by the lines of docs/guide/install.md:
#   try_release.sh FOLDER bookworm|trixie SECTION   a section of the page, in a new root of that Debian
#   try_release.sh FOLDER libc                      the command of the archive, where there is only glibc
# It needs root and debootstrap. Roots are kept in TRY_ROOTS (/var/tmp/webnn-roots) and copied.
set -euo pipefail
files=$(cd "$1" && pwd) system=$2 section=${3:-}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
roots=${TRY_ROOTS:-/var/tmp/webnn-roots}
mkdir -p "$roots"
root=$(mktemp -d "$roots/try.XXXXXX")
finish() {
  umount "$root/proc" "$root/dev" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap finish EXIT

if [ "$system" = libc ]; then
  # Not even a shell: the loader, glibc, and what the archive has.
  mkdir -p "$root/lib64" "$root/lib/x86_64-linux-gnu"
  cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64"
  cp -L /lib/x86_64-linux-gnu/lib{c,m}.so.6 "$root/lib/x86_64-linux-gnu"
  tar -xf "$files"/webnn-*-linux-*.tar.gz -C "$root"
  mv "$root"/webnn-* "$root/webnn"
  chroot "$root" /webnn/bin/webnn run /webnn/share/webnn/digits.onnx --image /webnn/share/webnn/zero.png \
    --scale 0.0627 --top-k 1
  exit
fi

base=$roots/$system.tar
if [ ! -e "$base" ]; then
  debootstrap --variant=minbase "$system" "$root" "${DEBIAN_MIRROR:-}" >"$roots/$system.log" 2>&1 ||
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
# The blocks of the section, in their order; a user of Debian has the programs that a way begins with.
{
  echo 'set -ex; cd /try; apt-get update -qq'
  [ "$section" != any-linux ] ||
    echo 'apt-get install -y -qq --no-install-recommends g++ gcc pkgconf python3-venv python3-numpy nodejs npm'
  awk -v section="$section" '
    /^## / { title = tolower(substr($0, 4)); gsub(/[^a-z0-9]+/, "-", title); inside = title == section }
    /^```/ { block = inside && $0 == "```sh"; next }
    block' "$source/docs/guide/install.md"
} >"$root/try/lines.sh"
chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 \
  sh /try/lines.sh 2>"$root/try/trace" | tee "$root/try/printed" || { cat "$root/try/trace" >&2; exit 1; }
programs=$(grep -cE '^a 0 with (9[0-9]|100)' "$root/try/printed" || true)
[ "$programs" = "$([ "$section" = debian ] && echo 3 || echo 4)" ] || { echo "try_release: $programs programs found the digit" >&2; exit 1; }
