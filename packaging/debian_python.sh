#!/usr/bin/env bash
# Unpacks the Python of a later release of Debian, its headers and pybind11, to build a wheel for it here:
#   debian_python.sh SUITE FOLDER
# What is compiled here then runs with the glibc of this system and with later ones. FOLDER/python3 runs that
# interpreter, by the loader and the libraries of its own system. The script prints the options of CMake. It
# needs what in_root.sh needs.
set -euo pipefail
suite=$1
mkdir -p "$2"
to=$(cd "$2" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ ! -x "$to/python3" ]; then
  rm -rf "${to:?}"/*
  # The versions of Python that `python3` stands for, and what the interpreter needs.
  # shellcheck disable=SC2016
  "$here/in_root.sh" "$suite" sh -c 'set -e
    apt-get update -qq
    rm -rf /tmp/python
    mkdir -p /tmp/python && cd /tmp/python
    chmod 777 .
    version=$(apt-cache show python3 | sed -n "s/^Version: \([0-9]*\.[0-9]*\).*/\1/p" | head -1)
    apt-get download -qq python$version-minimal libpython$version-minimal libpython$version-stdlib \
      libpython$version-dev pybind11-dev libc6 libexpat1 zlib1g >&2
    for package in *.deb; do dpkg-deb -x $package unpacked; done
    echo $version >unpacked/version' >&2
  root=${TRY_ROOTS:-/var/tmp/webnn-roots}/build-$suite
  cp -a "$root/tmp/python/unpacked/." "$to"
  rm -rf "$root/tmp/python"
  version=$(cat "$to/version")
  libraries=$(dirname "$(find "$to/usr/lib" "$to/lib" -name libc.so.6 2>/dev/null | head -1)")
  loader=$(find "$libraries" -name 'ld-linux-*.so.*' | head -1)
  libraries=$libraries:$to/usr/lib/$(basename "$libraries")
  cat >"$to/python3.part" <<SH
#!/bin/sh
export PYTHONHOME='$to/usr'
exec '$loader' --argv0 "\$0" --library-path '$libraries' '$to/usr/bin/python$version' "\$@"
SH
  chmod +x "$to/python3.part"
  mv "$to/python3.part" "$to/python3"
fi
echo "-DPython_EXECUTABLE=$to/python3"
echo "-Dpybind11_DIR=$(dirname "$(find "$to/usr" -name pybind11Config.cmake | head -1)")"
