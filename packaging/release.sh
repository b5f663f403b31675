#!/usr/bin/env bash
# Collects what a release consists of, and SHA256SUMS of it:
#   release.sh LIBRARY STANDALONE FOLDER
# LIBRARY and STANDALONE are the build folders of these presets. `./dev release` calls it. The same
# commit gives the same bytes on the same system: SOURCE_DATE_EPOCH is the time of the commit.
set -euo pipefail
library=$(cd "$1" && pwd) standalone=$(cd "$2" && pwd)
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rm -rf "$3"
mkdir -p "$3"
to=$(cd "$3" && pwd)
version=$(sed -n 's/^#define WEBNN_VERSION_[A-Z]* //p' "$source/include/webnn/version.h" | paste -sd.)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct)}
export TZ=UTC LC_ALL=C
umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pack() {  # ARCHIVE FOLDER NAME : the folder FOLDER/NAME
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu \
    -C "$2" -c "$3" | gzip -9n >"$1"
}
install_parts() {  # PREFIX component...
  local component
  for component in "${@:2}"; do
    cmake --install "$standalone" --strip --prefix "$1" --component "$component" >/dev/null
  done
}

# The tag of a release, which the CHANGELOG has a dated section of.
if ! grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)" "$source/CHANGELOG.md"; then
  echo "release: CHANGELOG.md has no section \"## $version (YYYY-MM-DD)\": this is a trial, not a release" >&2
else
  echo "release: the tag of this commit is v$version" >&2
fi
git -C "$source" archive --format=tar --prefix="libwebnn-$version/" HEAD | gzip -9n >"$to/libwebnn-$version.tar.gz"

# Recipes that build this archive: beside it, or at RELEASE_URL.
archive=libwebnn-$version.tar.gz
checksum=$(sha256sum "$to/$archive" | cut -d' ' -f1)
for recipe in aur/PKGBUILD homebrew/libwebnn.rb; do
  sed "s|@VERSION@|$version|; s|@SHA256@|$checksum|; s|@URL@|${RELEASE_URL:-file://#{__dir__\}}/$archive|" \
    "$source/packaging/$recipe.in" >"$to/${recipe##*/}"
done

# Debian packages for the release of Debian that this machine runs.
system=$(. /etc/os-release && echo "$ID-$VERSION_ID")
if command -v dpkg-shlibdeps >/dev/null; then
  (cd "$library" && cpack -G DEB -B "$work/debs" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log" >&2; exit 1; }
  mkdir "$to/$system"
  cp "$work/debs"/*.deb "$to/$system"
else
  echo "release: without Debian packages: there is no dpkg-shlibdeps (package dpkg-dev)" >&2
fi

# What runs on any Linux: an archive that can be unpacked anywhere, the package for Node, the wheel.
machine=$(uname -m)
name=webnn-$version-linux-$machine
install_parts "$work/$name" development library tools notices
# --strip leaves the extension modules of other build folders alone; these are copies.
checked=("$work/$name"/bin/webnn "$work/$name"/lib*/libwebnn_c.so.*.*.*)
if [ -e "$standalone/bindings/node/webnn.node" ]; then
  install_parts "$work/node" node
  checked+=("$work/node/package/webnn.node")
fi
if [ -e "$standalone/bindings/python/webnn/__init__.py" ]; then
  mkdir -p "$work/python/bindings/python" "$work/python/notices"
  # Installed, it has the folders where it looks for libraries, and not those of the build.
  install_parts "$work/installed" python
  cp -r "$(find "$work/installed" -type d -path '*-packages/webnn')" "$work/python/bindings/python"
  cp -r "$standalone/notices/python" "$work/python/notices"
  strip "$work/python/bindings/python/webnn"/*.so
  checked+=("$work/python/bindings/python/webnn"/*.so)
fi
tag=$("$source/packaging/check_portable.py" "${checked[@]}")
pack "$to/$name.tar.gz" "$work" "$name"
[ ! -d "$work/node" ] || pack "$to/webnn-native-$version.tgz" "$work/node" package
[ ! -d "$work/python" ] ||
  "${PYTHON:-python3}" "$source/bindings/python/make_wheel.py" "$work/python/bindings/python/webnn" "$to" "$tag"

(cd "$to" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
cat "$to/SHA256SUMS"
