#!/usr/bin/env bash
# Installs the library that was built and uses it as a stranger would.
#   run.sh install | other_linkage | add_subdirectory
#   run.sh find_package | pkg_config  PREFIX
# From the environment: SOURCE and BUILD (folders), CMAKE, CXX, GENERATOR, BUILD_TYPE, SHARED (what
# BUILD has: ON or OFF), OPTIONS (of the library, for cmake).
set -euo pipefail
work=$BUILD/tests/package
here=$SOURCE/tests/package

configure() {  # SOURCE_FOLDER BUILD_FOLDER argument...
  rm -rf "$2"
  "$CMAKE" -S "$1" -B "$2" -G "$GENERATOR" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_BUILD_TYPE="$BUILD_TYPE" \
    "${@:3}" >"$2.log" 2>&1 || { cat "$2.log"; return 1; }
}
# The library once more, of the objects that are there.
reuse=(-DCMAKE_CXX_COMPILER_LAUNCHER="sh;$here/reuse_object.sh;$BUILD")

case $1 in
  install)
    # Where it was not meant to be: a package can be moved.
    rm -rf "$work/built" "$work/elsewhere"
    "$CMAKE" --install "$BUILD" --prefix "$work/elsewhere"
    mv "$work/elsewhere" "$work/built"
    # A user needs no header but ours and the standard ones, which have no extension.
    if grep -rnE '^ *# *include' "$work/built/include" | grep -vE '"webnn/[a-z0-9_/]+\.h"|<[a-z0-9_]+>'; then
      echo "a header of somebody else" >&2
      exit 1
    fi
    ;;
  other_linkage)
    # shellcheck disable=SC2086
    configure "$SOURCE" "$work/other-build" "${reuse[@]}" $OPTIONS -DWEBNN_BUILD_TESTS=OFF \
      -DWEBNN_BUILD_EXAMPLES=OFF -DWEBNN_BUILD_BENCH=OFF -DWEBNN_BUILD_TOOLS=OFF -DWEBNN_NODE=OFF \
      -DBUILD_SHARED_LIBS="$([ "$SHARED" = ON ] && echo OFF || echo ON)"
    "$CMAKE" --build "$work/other-build"
    rm -rf "$work/other"
    "$CMAKE" --install "$work/other-build" --prefix "$work/other"
    ;;
  find_package)
    configure "$here/find_package" "$work/find_package-$2" -DCMAKE_PREFIX_PATH="$work/$2"
    "$CMAKE" --build "$work/find_package-$2"
    "$work/find_package-$2/client"
    ;;
  pkg_config)
    PKG_CONFIG_PATH=$(dirname "$(find "$work/$2" -name webnn.pc)")
    export PKG_CONFIG_PATH
    libraries=$(pkg-config --variable=libdir webnn)
    # shellcheck disable=SC2046
    "$CXX" -std=c++20 "$here/client/main.cpp" -o "$work/pkg_config-$2" \
      $(pkg-config --cflags --libs webnn)
    LD_LIBRARY_PATH=$libraries "$work/pkg_config-$2"
    ;;
  add_subdirectory)
    # shellcheck disable=SC2086
    configure "$here/add_subdirectory" "$work/add_subdirectory" "${reuse[@]}" $OPTIONS \
      -DWEBNN_SOURCE="$SOURCE"
    "$CMAKE" --build "$work/add_subdirectory"
    "$work/add_subdirectory/client"
    # What is installed is the client's alone.
    "$CMAKE" --install "$work/add_subdirectory" --prefix "$work/add_subdirectory/installed"
    [ "$(find "$work/add_subdirectory/installed" -type f | wc -l)" = 1 ]
    ;;
esac
