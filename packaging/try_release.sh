#!/usr/bin/env bash
# Installs the files of a release in empty systems and uses them, by the lines of the page INSTALL.md that is
# one of these files:
#   try_release.sh FOLDER bookworm|trixie debian|any-linux [WAY]
#       each way of a section of the page (command, c-, c, python, node), in a new root of that Debian
#   try_release.sh FOLDER bookworm|trixie lintian    the packages of that Debian, by its lintian
#   try_release.sh FOLDER libc                       the command of the archive, where there is only glibc
# It needs root and debootstrap. Empty roots are kept in TRY_ROOTS (/var/tmp/webnn-roots) and copied. Each way
# may take LIMIT seconds (180), from the empty root to the digit; on any Linux from the root that has compilers,
# Python or Node.
set -euo pipefail
[ -n "${TRY_RELEASE_INSIDE:-}" ] || TRY_RELEASE_INSIDE=1 exec unshare -m --propagation private "$0" "$@"
files=$(cd "$1" && pwd) system=$2 section=${3:-} only=${4:-}
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=packaging/roots.sh
. "$source/packaging/roots.sh"
root=$(mktemp -d "$roots/try.XXXXXX")
chmod 755 "$root"
empty() {
  umount -R "$root/proc" "$root/dev" 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap empty EXIT
fail() { echo "try_release: $*" >&2; exit 1; }
row='^ *1 +(1\.0000|0\.9[0-9]+) +0$'  # what the command prints: the first place, the score, the class
said='^a 0 with (9[0-9]|100)'         # what the programs print

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

enter() {  # script of the shell : runs it in a new root, in the folder that has the files
  empty
  new_root "$system" "$root"
  began=$(date +%s)
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mkdir "$root/release"
  cp -r "$files"/. "$root/release"
  chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 \
    sh -exc "cd /release
$1" >"$root/printed" 2>"$root/trace" || { tail -40 "$root/trace" >&2; return 1; }
}

if [ "$section" = lintian ]; then
  # The address of the maintainer is the publisher's to give: RELEASE_CONTACT.
  enter '. /etc/os-release
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends lintian >/dev/null
    lintian --allow-root --tag-display-limit 0 --suppress-tags bogus-mail-host --fail-on error \
      debian-$VERSION_ID/*.deb >lintian.txt 2>&1 || { cat lintian.txt >&2; exit 1; }' || fail "lintian found errors"
  cat "$root/release/lintian.txt"
  exit
fi

ways() { sed -n "/^## /h; /^### /{G; s/^### \(.*\)\n## \(.*\)/\2:\1/p}" "$files/INSTALL.md"; }
slug() { tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9]\+/-/g'; }
lines() {  # SECTION WAY : the lines before its first way, and those of the way
  awk -v section="$1" -v way="$2" '
    function slug(text) { text = tolower(text); gsub(/[^a-z0-9]+/, "-", text); return text }
    /^## / { inside = slug(substr($0, 4)) == section; at = "" }
    /^### / { at = slug(substr($0, 5)) }
    /^```/ { block = /^```sh/ && inside && (at == "" || at == way); next }
    block' "$files/INSTALL.md"
}
# What a way on any Linux begins with.
begin() {
  local packages
  case $1 in
    c-) packages='g++ pkgconf libc6-dev' ;;
    c) packages='gcc pkgconf libc6-dev' ;;
    python) packages='python3-venv python3-numpy' ;;
    node) packages='nodejs npm' ;;
    *) return 0 ;;
  esac
  echo "apt-get update -qq; apt-get install -y -qq --no-install-recommends $packages"
}

count=0
while IFS=: read -r title name; do
  way=$(slug <<<"$name")
  [ "$(slug <<<"$title")" = "$section" ] || continue
  [ "${only:-$way}" = "$way" ] || continue
  count=$((count + 1))
  script=$(lines "$section" "$way")
  [ "$section" != any-linux ] || script="$(begin "$way")"$'\n'"date +%s >/began"$'\n'"$script"
  enter "$script" || fail "$system, $title, $name: the lines failed"
  before=
  if [ -e "$root/began" ]; then
    before=", after $(($(cat "$root/began") - began)) s for the packages that this way begins with"
    began=$(cat "$root/began")
  fi
  took=$(($(date +%s) - began))
  pattern=$said
  [ "$way" != command ] || pattern=$row
  grep -E "$pattern" "$root/printed" || fail "$system, $title, $name: it did not find the digit"
  echo "$system, $title, $name: $took s$before"
  [ "$took" -le "${LIMIT:-180}" ] || fail "that is more than ${LIMIT:-180} s"
done < <(ways)
[ "$count" -gt 0 ] || fail "the page has no way $only in the section $section"
