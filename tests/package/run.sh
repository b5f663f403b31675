#!/usr/bin/env bash
# Installs the library that was built and uses it as a stranger would.
#   run.sh install | other_linkage | without_formats | add_subdirectory | missing_component | c
#   run.sh find_package | components | pkg_config  PREFIX
#   run.sh plugins: two versions of the library in one process
#   run.sh deb: the Debian packages, installed into a folder
#   run.sh node: the archive for npm
# From the environment: SOURCE and BUILD (folders), CMAKE, CXX, GENERATOR, BUILD_TYPE, SHARED (what
# BUILD has: ON or OFF), FORMATS (that BUILD has, with spaces), OPTIONS (of the library, for cmake),
# PYTHON and NODE (the programs).
set -euo pipefail
work=$BUILD/tests/package
here=$SOURCE/tests/package
read -ra formats <<<"$FORMATS"

configure() {  # SOURCE_FOLDER BUILD_FOLDER argument...
  rm -rf "$2"
  "$CMAKE" -S "$1" -B "$2" -G "$GENERATOR" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE="$BUILD_TYPE" \
    "${@:3}" >"$2.log" 2>&1 || { cat "$2.log"; return 1; }
}
install_variant() {  # PREFIX argument... : the library once more, of the objects that are there
  # shellcheck disable=SC2086
  configure "$SOURCE" "$work/$1-build" "${reuse[@]}" $OPTIONS -DWEBNN_BUILD_TESTS=OFF \
    -DWEBNN_BUILD_EXAMPLES=OFF -DWEBNN_BUILD_BENCH=OFF -DWEBNN_BUILD_TOOLS=OFF -DWEBNN_NODE=OFF \
    -DWEBNN_C=OFF -DWEBNN_PYTHON=OFF "${@:2}"
  "$CMAKE" --build "$work/$1-build"
  rm -rf "${work:?}/$1"
  "$CMAKE" --install "$work/$1-build" --prefix "$work/$1"
  rm -rf "${work:?}/$1-build"  # more than a GB
}
build_clients() {  # SOURCE_FOLDER BUILD_FOLDER "FORMAT..." argument... : and runs them
  configure "$1" "$2" -DFORMATS="${3// /;}" "${@:4}"
  "$CMAKE" --build "$2"
  local name
  for name in webnn $3; do "$2/client_$name"; done
}
finds_nothing() {  # "PATTERN" command... : no line of what the command prints matches
  if "${@:2}" | grep -iE "$1"; then
    echo "unexpected: $1, in the output of ${*:2}" >&2
    return 1
  fi
}
run_pkg_config() {  # PREFIX OUTPUT "PACKAGE FILE"... : compiles client/FILE without CMake, and runs it
  local pair package file compile
  PKG_CONFIG_PATH=$(dirname "$(find "$1" -name 'webnn*.pc' -print -quit)")
  export PKG_CONFIG_PATH
  for pair in "${@:3}"; do
    read -r package file <<<"$pair"
    compile=("$CXX" -std=c++20)
    [[ $file != *.c ]] || compile=("${CC:-cc}" -std=c99 -pedantic)
    # shellcheck disable=SC2046
    "${compile[@]}" "$here/client/$file" -o "$2-$file.out" $(pkg-config --cflags --libs "$package")
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir "$package") "$2-$file.out"
  done
}
run_python() {  # PREFIX FOLDER : uses the Python package in the folder, where there is numpy
  ! "$PYTHON" -c 'import numpy' || (
    cd /
    export PYTHONPATH=$2 PYTHONDONTWRITEBYTECODE=1
    "$PYTHON" "$here/client/client.py" "$1/"
    "$PYTHON" -m webnn --version
  )
}
run_cpack() {  # GENERATOR FOLDER : what cpack makes
  rm -rf "$2"
  mkdir -p "$2"
  (cd "$BUILD" && "$(dirname "$CMAKE")/cpack" -G "$1" -B "$2" >"$2.log" 2>&1) || { cat "$2.log"; return 1; }
  rm -rf "$2/_CPack_Packages"
}
skip() { echo "skipped: $1"; exit 77; }
reuse=(-DCMAKE_CXX_COMPILER_LAUNCHER="sh;$here/reuse_object.sh;$BUILD")
third_party='flatbuffers|nlohmann'

case $1 in
  install)
    # Where it was not meant to be: a package can be moved.
    rm -rf "$work/built" "$work/elsewhere"
    "$CMAKE" --install "$BUILD" --prefix "$work/elsewhere"
    mv "$work/elsewhere" "$work/built"
    # A user needs no header but ours and the standard ones, which have no extension (language.h names none).
    if grep -rnE '^ *# *include' "$work/built/include" | grep -vE '"webnn/[a-z0-9_/]+\.h"|"webnn needs C\+\+20"|<[a-z0-9_]+>|/webnn/c/.*<std(def|int)\.h>'; then
      echo "a header of somebody else" >&2
      exit 1
    fi
    if [ -e "$BUILD/bindings/python/webnn/__init__.py" ]; then
      run_python "$work/built" "$(find "$work/built/lib" -name '*-packages')"
    fi
    ;;
  other_linkage) install_variant other -DBUILD_SHARED_LIBS="$([ "$SHARED" = ON ] && echo OFF || echo ON)" ;;
  without_formats)  # as on a machine that has neither FlatBuffers nor nlohmann-json
    install_variant core -DBUILD_SHARED_LIBS="$SHARED" -DFLATC_EXECUTABLE=OFF \
      -DFLATBUFFERS_INCLUDE_DIR=OFF -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON
    finds_nothing "$third_party|tflite|safetensors" find "$work/core" -name '*.*'
    ;;
  find_package)  # no component: nothing of the formats is found, read or linked
    build_clients "$here/find_package" "$work/find_package-$2" "" -DCMAKE_PREFIX_PATH="$work/$2"
    finds_nothing "$third_party" "$CXX" -std=c++20 -M -I"$work/$2/include" "$here/client/webnn.cpp"
    finds_nothing "$third_party|tflite|safetensors" ldd "$work/find_package-$2/client_webnn"
    library=$(find "$work/$2" -name libwebnn.a -o -name libwebnn.so)
    finds_nothing "$third_party|tflite|safetensors" nm -C --defined-only "$library"
    ;;
  components) build_clients "$here/find_package" "$work/components-$2" "$FORMATS" \
    -DCMAKE_PREFIX_PATH="$work/$2" ;;
  missing_component)  # of the library without formats
    if message=$(configure "$here/missing_component" "$work/missing_component" \
      -DCMAKE_PREFIX_PATH="$work/core" 2>&1); then exit 1; fi
    echo "$message"
    grep -F 'libwebnn has no component "tflite": this libwebnn was built without it.' <<<"$message"
    ;;
  pkg_config)
    pairs=("webnn webnn.cpp")
    for name in "${formats[@]}"; do pairs+=("webnn-$name $name.cpp"); done
    run_pkg_config "$work/$2" "$work/pkg_config-$2" "${pairs[@]}"
    ;;
  c)  # a program in C, which needs neither a C++ compiler nor the headers of C++
    configure "$here/find_package_c" "$work/find_package_c" -DCMAKE_PREFIX_PATH="$work/built"
    "$CMAKE" --build "$work/find_package_c"
    "$work/find_package_c/client_c"
    ! command -v pkg-config >/dev/null || run_pkg_config "$work/built" "$work/pkg_config" "webnn-c c.c"
    ;;
  add_subdirectory)
    # shellcheck disable=SC2086
    build_clients "$here/add_subdirectory" "$work/add_subdirectory" "$FORMATS" "${reuse[@]}" $OPTIONS \
      -DWEBNN_SOURCE="$SOURCE"
    # What is installed is the client's alone.
    "$CMAKE" --install "$work/add_subdirectory" --prefix "$work/add_subdirectory/installed"
    [ "$(find "$work/add_subdirectory/installed" -type f | wc -l)" = 1 ]
    rm -rf "$work/add_subdirectory"
    ;;
  plugins)  # shared libraries that embed the static one: this version, and one with one more data type
    [ "$SHARED" = OFF ] || skip "the library is not static"
    { command -v pkg-config && command -v objcopy && command -v nm; } >/dev/null || skip "no pkg-config, objcopy or nm"
    PKG_CONFIG_PATH=$(dirname "$(find "$work/built" -name webnn.pc)")
    export PKG_CONFIG_PATH
    library=$(pkg-config --variable=libdir webnn)
    to=$work/plugins
    rm -rf "$to"
    mkdir -p "$to/other"
    cp -r "$work/built/include" "$to/other/include"
    # The other version: its headers, and its library by another name of its namespace.
    version=$(sed -n 's/^namespace webnn::inline \(v[0-9_]*\) {$/\1/p' "$to/other/include/webnn/version.h")
    other=v${version//[a-z0-9]/9}9
    other=${other:0:${#version}}
    find "$to/other/include" -name '*.h' -exec sed -i "s/\\b$version\\b/$other/g" {} +
    sed -i 's/^  float8e4m3$/  float8e4m3, float128/; s/"float8e4m3");/"float8e4m3", "float128");/' \
      "$to/other/include/webnn/data_type.h"
    grep -q '"float128"' "$to/other/include/webnn/data_type.h"
    nm "$library/libwebnn.a" 2>/dev/null | sed -n 's/.* \([^ ]*\)$/\1/p' | grep "${#version}$version" | sort -u |
      sed "s/.*/& &/" | awk -v a="${#version}$version" -v b="${#version}$other" \
      '{ gsub(a, b, $2); print }' >"$to/names"
    [ -s "$to/names" ]
    objcopy --redefine-syms="$to/names" "$library/libwebnn.a" "$to/other/libwebnn.a"
    plugin() {  # NAME INCLUDES LIBRARIES LAST_TYPE LAST_NAME
      # shellcheck disable=SC2046
      "$CXX" -std=c++20 -shared -fPIC -fvisibility=hidden -I"$2" -DLAST_TYPE="$4" -DLAST_NAME="\"$5\"" \
        "$here/plugins/plugin.cpp" -o "$to/$1.so" -L"$3" $(pkg-config --libs webnn) "${@:6}"
      # What is left are inline variables and templates of the standard library with our types.
      finds_nothing ' [TDBRV] .*webnn::' nm -DC --defined-only "$to/$1.so"
    }
    plugin this "$work/built/include" "$library" 11 float8e4m3
    echo '{ global: run; local: *; };' >"$to/run.map"
    plugin alone "$work/built/include" "$library" 11 float8e4m3 -Wl,--version-script="$to/run.map"
    finds_nothing 'webnn' nm -D --defined-only "$to/alone.so"
    plugin other "$to/other/include" "$to/other" 12 float128
    "${CC:-cc}" "$here/plugins/host.c" -o "$to/host" -ldl
    "$to/host" "$to/this.so" "$to/other.so"
    "$to/host" "$to/other.so" "$to/this.so"
    ;;
  deb)
    command -v dpkg-deb >/dev/null || skip "there is no dpkg-deb"
    root=$work/deb
    run_cpack DEB "$work/debs"
    rm -rf "$root"
    mkdir -p "$root/var/lib/dpkg"
    touch "$root/var/lib/dpkg/status"
    if [ "$(id -u)" = 0 ] && command -v dpkg >/dev/null; then
      # Unpacked, not configured: a script of a package needs a shell in the folder.
      dpkg --root="$root" --log="$work/dpkg.log" --force-bad-path --unpack "$work/debs"/*.deb
      dpkg --root="$root" -s libwebnn-dev | grep '^Status: install ok unpacked'
    else
      for package in "$work/debs"/*.deb; do dpkg-deb -x "$package" "$root"; done
    fi
    prefix=$root/usr
    [ -z "$(find "$root" -type f -not -path "$prefix/*" -not -path "$root/var/*")" ]  # nothing elsewhere
    for package in "$work/debs"/*.deb; do
      dpkg-deb -f "$package" Version | grep '^[0-9]'
      about=$prefix/share/doc/$(dpkg-deb -f "$package" Package)
      for file in copyright changelog.gz changelog.Debian.gz; do [ -s "$about/$file" ]; done
      "$SOURCE/packaging/check_notices.py" "$about"
    done
    export LD_LIBRARY_PATH=$prefix/lib
    if compgen -G "$work/debs/webnn-tools_*.deb" >/dev/null; then
      "$prefix/bin/webnn" --version
      [ -s "$prefix/share/man/man1/webnn.1.gz" ] && [ -s "$prefix/share/bash-completion/completions/webnn" ]
    fi
    if compgen -G "$work/debs/python3-webnn_*.deb" >/dev/null; then
      dpkg-deb -f "$work/debs"/python3-webnn_*.deb Depends |
        grep -F "$("$PYTHON" -c 'import sys; print("python3 (>= 3.%d)" % sys.version_info[1])')"
      run_python "$prefix" "$prefix/lib/python3/dist-packages"
    fi
    pairs=("webnn webnn.cpp")
    ! [ -e "$prefix/include/webnn/c" ] || pairs+=("webnn-c c.c")
    ! command -v pkg-config >/dev/null || run_pkg_config "$root" "$work/deb_client" "${pairs[@]}"
    build_clients "$here/find_package" "$work/find_package-deb" "" -DCMAKE_PREFIX_PATH="$prefix"
    if compgen -G "$work/debs/libwebnn-c-dev_*.deb" >/dev/null; then  # programs in C need nothing of C++
      rm -rf "$work/deb_c"
      for package in "$work/debs"/libwebnn{-c,[0-9]}*.deb; do
        [ ! -e "$package" ] || dpkg-deb -x "$package" "$work/deb_c"
      done
      [ ! -e "$work/deb_c/usr/include/webnn/webnn.h" ]
      LD_LIBRARY_PATH=$(dirname "$(find "$work/deb_c/usr" -name 'libwebnn_c.so')")
      export LD_LIBRARY_PATH
      ! command -v pkg-config >/dev/null || run_pkg_config "$work/deb_c" "$work/deb_client_c" "webnn-c c.c"
      configure "$here/find_package_c" "$work/find_package_c-deb" -DCMAKE_PREFIX_PATH="$work/deb_c/usr"
      "$CMAKE" --build "$work/find_package_c-deb"
      "$work/find_package_c-deb/client_c"
      if message=$(configure "$here/missing_component" "$work/missing_component-deb" \
        -DCMAKE_PREFIX_PATH="$work/deb_c/usr" 2>&1); then exit 1; fi
      grep -F 'libwebnn has no component "tflite": only the C interface is installed.' <<<"$message"
    fi
    ;;
  node)
    run_cpack TGZ "$work/archives"
    project=$work/node_project
    rm -rf "$project"
    mkdir -p "$project"
    cp "$here/client/client.mjs" "$project"
    echo '{ "private": true }' >"$project/package.json"
    if command -v npm >/dev/null; then
      (cd "$project" && npm install --offline --no-audit --no-fund "$work/archives"/webnn-native-*.tar.gz)
    else
      mkdir -p "$project/node_modules/webnn-native"
      tar -xf "$work/archives"/webnn-native-*.tar.gz --strip-components=1 -C "$project/node_modules/webnn-native"
    fi
    "$NODE" "$project/client.mjs"
    ;;
  *) exit 2 ;;
esac
