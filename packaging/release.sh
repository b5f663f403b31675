#!/usr/bin/env bash
# Makes a part of a release in a folder, from build folders that are finished; `./dev release` calls it:
#   release.sh FOLDER sources              the source archive, the recipes that build it, the page on installing
#   release.sh FOLDER debian BUILD         packages for the release of Debian that this system is
#   release.sh FOLDER portable BUILD       what runs on any Linux: an archive, the package for Node
#   release.sh FOLDER wheel BUILD PYTHON   the wheel for that version of Python
#   release.sh FOLDER sums                 SHA256SUMS of all that is there
# The same commit gives the same bytes on the same system: SOURCE_DATE_EPOCH is the time of the commit.
set -euo pipefail
part=$2
mkdir -p "$1"
to=$(cd "$1" && pwd)
[ $# -lt 3 ] || build=$(cd "$3" && pwd)
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
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
    cmake --install "$build" --strip --prefix "$1" --component "$component" >/dev/null
  done
}

sources() {
  # The tag of a release, which the CHANGELOG has a dated section of.
  if ! grep -qE "^## $version \([0-9]{4}-[0-9]{2}-[0-9]{2}\)" "$source/CHANGELOG.md"; then
    echo "release: CHANGELOG.md has no section \"## $version (YYYY-MM-DD)\": this is a trial, not a release" >&2
  else
    echo "release: the tag of this commit is v$version" >&2
  fi
  local archive=libwebnn-$version.tar.gz checksum recipe name
  git -C "$source" archive --format=tar --prefix="libwebnn-$version/" HEAD | gzip -9n >"$to/$archive"
  # Recipes that build this archive: beside it, or at RELEASE_URL.
  checksum=$(sha256sum "$to/$archive" | cut -d' ' -f1)
  for recipe in aur/PKGBUILD homebrew/libwebnn.rb; do
    sed "s|@VERSION@|$version|; s|@SHA256@|$checksum|; s|@URL@|${RELEASE_URL:-file://#{__dir__\}}/$archive|" \
      "$source/packaging/$recipe.in" >"$to/${recipe##*/}"
  done
  # The page and its programs, so that the lines of the page work in this folder.
  sed -E 's|\]\(\.\./\.\./examples/install/|](|g; s|\[([^]]*)\]\([^)#]*\.md[^)]*\)|\1|g' \
    "$source/docs/guide/install.md" >"$to/INSTALL.md"
  for name in digits.c digits.cpp digits.mjs digits.py; do cp "$source/examples/install/$name" "$to"; done
}

debian() {
  command -v dpkg-shlibdeps >/dev/null || { echo "release: there is no dpkg-shlibdeps (package dpkg-dev)" >&2; exit 1; }
  local system
  system=$(. /etc/os-release && echo "$ID-$VERSION_ID")
  (cd "$build" && cpack -G DEB -B "$work/debs" >"$work/cpack.log" 2>&1) || { cat "$work/cpack.log" >&2; exit 1; }
  rm -rf "${to:?}/$system"
  mkdir "$to/$system"
  cp "$work/debs"/*.deb "$to/$system"
}

portable() {
  local name
  name=webnn-$version-linux-$(uname -m)
  install_parts "$work/$name" development c_development library tools notices notices_library notices_c notices_tools
  # The other folders are those of the packages of Debian.
  find "$work/$name/share/doc" -mindepth 1 -maxdepth 1 ! -name webnn -exec rm -r {} +
  "$source/packaging/check_notices.py" "$work/$name"/share/doc/webnn/*/
  checked=("$work/$name"/bin/webnn "$work/$name"/lib*/libwebnn_c.so.*.*.*)
  if [ -e "$build/bindings/node/webnn.node" ]; then
    install_parts "$work/node" node
    "$source/packaging/check_notices.py" "$work/node/package"
    checked+=("$work/node/package/webnn.node")
  fi
  "$source/packaging/check_portable.py" "${checked[@]}"
  pack "$to/$name.tar.gz" "$work" "$name"
  [ ! -d "$work/node" ] || pack "$to/webnn-native-$version.tgz" "$work/node" package
  cp "$work/$name/share/webnn/digits.onnx" "$to"  # for the programs of the page
}

wheel() {  # PYTHON
  # --strip leaves the extension modules of other build folders alone; these are copies.
  local package=$work/python/bindings/python/webnn tag
  mkdir -p "$work/python/bindings/python" "$work/python/notices"
  # Installed, it has the folders where it looks for libraries, and not those of the build.
  install_parts "$work/installed" python
  cp -r "$(find "$work/installed" -type d -path '*-packages/webnn')" "$package"
  cp -r "$build/notices/python" "$work/python/notices"
  "$source/packaging/check_notices.py" "$work/python/notices/python"
  strip "$package"/*.so
  tag=$("$source/packaging/check_portable.py" "$package"/*.so)
  "$1" "$source/bindings/python/make_wheel.py" "$package" "$to" "$tag"
}

sums() {
  (cd "$to" && find . -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs -r sha256sum >SHA256SUMS)
  cat "$to/SHA256SUMS"
}

"$part" "${@:4}"
