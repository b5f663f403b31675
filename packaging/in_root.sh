#!/usr/bin/env bash
# Runs a command in the checkout, in a root of a release of Debian:
#   in_root.sh bookworm|trixie COMMAND...
# The root is kept, with what the command installs, in TRY_ROOTS (/var/tmp/webnn-roots). The checkout has
# the same path in it; what is `build` there is the folder build/SUITE here. It needs root and debootstrap.
set -euo pipefail
suite=$1
shift
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=packaging/roots.sh
. "$source/packaging/roots.sh"
root=$roots/build-$suite
if [ ! -d "$root" ]; then
  rm -rf --one-file-system "$root.part"
  new_root "$suite" "$root.part"
  mv "$root.part" "$root"
fi
mkdir -p "$source/build/$suite" "$root$source"
keep=()
for name in JOBS SOURCE_DATE_EPOCH RELEASE_CONTACT; do
  [ -z "${!name:-}" ] || keep+=("$name=${!name}")
done
# The mounts vanish with the namespace.
exec unshare -m bash -c '
  set -e
  source=$1 root=$2 suite=$3
  shift 3
  mount --make-rprivate /
  mount --bind "$source" "$root$source"
  mount --bind "$source/build/$suite" "$root$source/build"
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  exec chroot "$root" env -i "$@"' in_root "$source" "$root" "$suite" \
  HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive "${keep[@]}" sh -c 'cd "$0" && exec "$@"' "$source" "$@"
