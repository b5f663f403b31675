# shellcheck shell=bash
# Roots of Debian, for try_release.sh and in_root.sh, which source this file. They need root and debootstrap.
roots=${TRY_ROOTS:-/var/tmp/webnn-roots}
mkdir -p "$roots"

new_root() {  # SUITE FOLDER : an empty Debian in the folder; an archive of it is kept in $roots
  local suite=$1 folder=$2 base=$roots/$1.tar mirror
  mkdir -p "$folder"
  chmod 755 "$folder"
  if [ ! -e "$base" ]; then
    mirror=${DEBIAN_MIRROR:-$(sed -n 's/^URIs: *//p; s/^deb \(\[.*\] \)\?\([^ ]*\).*/\2/p' \
      /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1)}
    # shellcheck disable=SC2086
    debootstrap --variant=minbase "$suite" "$folder" $mirror >"$roots/$suite.log" 2>&1 ||
      { tail "$roots/$suite.log" >&2; return 1; }
    cp -f /etc/apt/apt.conf.d/*prox* "$folder/etc/apt/apt.conf.d/" 2>/dev/null || true
    tar -C "$folder" -cf "$base.part" .
    mv "$base.part" "$base"
  else
    tar -C "$folder" -xf "$base"
  fi
  cp -f /etc/resolv.conf "$folder/etc/"
}
