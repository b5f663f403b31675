#!/usr/bin/env bash
# Runs what the recipes run, on the source archive of a release, where their package managers are not:
#   try_recipes.sh FOLDER [configure|install]    FOLDER has the files of the release
# `configure` ends where the compiler would begin; `install`, the default, looks at what is installed.
set -euo pipefail
files=$(cd "$1" && pwd) until=${2:-install}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_BASEDIR=$work CMAKE_GENERATOR=Ninja JOBS=${JOBS:-$(nproc)}
! command -v ccache >/dev/null || export CMAKE_CXX_COMPILER_LAUNCHER=ccache
# All build two folders below a tree, and without precompiled headers, as `./dev release` does: ccache has the objects.
for_cache=-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
archive=$(basename "$files"/libwebnn-*.tar.gz)
root=$work/${archive%.tar.gz}
cmake_log=$work/log

real_cmake=$(command -v cmake)
cmake() {  # what a recipe says, but for the compiler
  if [ "$until" = configure ] && [[ "$1" = --build || "$1" = --install ]]; then return 0; fi
  local more=()
  case $1 in
    --build) more=(-j "$JOBS") ;;
    --install | -P) ;;
    *) more=("$for_cache") ;;
  esac
  "$real_cmake" "$@" "${more[@]}" >>"$cmake_log" 2>&1 || { tail -30 "$cmake_log" >&2; return 1; }
}
fresh() {  # NAME : the archive, unpacked
  echo "try_recipes: $1"
  rm -rf "$root"
  tar -C "$work" -xf "$files/$archive"
}
expect() {  # FOLDER file... : is installed
  [ "$until" = install ] || return 0
  local file
  for file in "${@:2}"; do
    [ -n "$(find "$1" -path "*/$file" | head -1)" ] || { echo "try_recipes: there is no $file in $1" >&2; exit 1; }
  done
}
library=(include/webnn/webnn.h lib/libwebnn.a cmake/webnn/webnn-config.cmake pkgconfig/webnn.pc libwebnn_c.so.1)

fresh aur
(
  cd "$work"
  srcdir=$work pkgdir=$work/aur
  # shellcheck disable=SC1091
  source "$files/PKGBUILD"
  cp "$files/${source[0]}" .
  echo "${sha256sums[0]}  ${source[0]}" | sha256sum -c --quiet
  build
  cd "$work"
  package
)
expect "$work/aur/usr" "${library[@]}" bin/webnn man1/webnn.1 NOTICE

fresh homebrew
(  # the lines of `install`, with what Homebrew puts in place of std_cmake_args
  cd "$root"
  sum=$(sed -n 's/^  sha256 "\(.*\)"/\1/p' "$files/libwebnn.rb")
  echo "$sum  $files/$archive" | sha256sum -c --quiet
  mapfile -t lines < <(sed -n '/def install/,/^  end/p' "$files/libwebnn.rb" |
    sed '1d;$d' | tr '\n' ' ' | sed 's/ system /\n/g' | sed 's/[",]//g; /^ *$/d')
  [ ${#lines[@]} = 3 ]
  for line in "${lines[@]}"; do
    line=${line/'*std_cmake_args'/"-DCMAKE_INSTALL_PREFIX=$work/homebrew -DCMAKE_BUILD_TYPE=Release"}
    # shellcheck disable=SC2086
    $line
  done
)
expect "$work/homebrew" "${library[@]}" bin/webnn

fresh vcpkg
cat >"$work/port.cmake" <<CMAKE
# The functions of vcpkg that the port calls.
function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options)
  list(LENGTH arg_FEATURES count)
  math(EXPR last "\${count} / 2 - 1")
  foreach(i RANGE \${last})
    math(EXPR at "2 * \${i} + 1")
    list(GET arg_FEATURES \${at} option)
    list(APPEND options -D\${option}=ON)
  endforeach()
  set(\${arg_OUT_FEATURE_OPTIONS} \${options} PARENT_SCOPE)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND \${CMAKE_COMMAND} -S \${arg_SOURCE_PATH} -B $root/build/vcpkg $for_cache -DCMAKE_BUILD_TYPE=Release
                  -DCMAKE_INSTALL_PREFIX=\${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib \${arg_OPTIONS}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_install)
  if("$until" STREQUAL install)
    execute_process(COMMAND \${CMAKE_COMMAND} --build $root/build/vcpkg -j $JOBS --target install
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endif()
endfunction()
function(vcpkg_cmake_config_fixup)
endfunction()
function(vcpkg_fixup_pkgconfig)
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  foreach(file IN LISTS arg_FILE_LIST)
    if("$until" STREQUAL install AND NOT EXISTS "\${file}")
      message(FATAL_ERROR "there is no \${file}")
    endif()
  endforeach()
endfunction()
set(CURRENT_PORT_DIR $root/packaging/vcpkg/webnn)
set(CURRENT_PACKAGES_DIR $work/vcpkg)
include(\${CURRENT_PORT_DIR}/portfile.cmake)
CMAKE
cmake -P "$work/port.cmake"
expect "$work/vcpkg" "${library[@]}" include/webnn/onnx.h

fresh conan
python3 - "$root" "$work/conan" "$work/conan-arguments" <<'PYTHON'
# What the recipe exports, and the variables that it gives to CMake.
import ast, fnmatch, os, shutil, sys
root, to, arguments = sys.argv[1:]
with open(os.path.join(root, "packaging", "conan", "conanfile.py"), encoding="utf-8") as file:
    tree = ast.parse(file.read())
found = {}
for node in ast.walk(tree):
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == "part" and \
            isinstance(node.iter, ast.Tuple):
        found["exported"] = ast.literal_eval(node.iter)
    if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("off", "PARTS"):
        found[node.targets[0].id] = ast.literal_eval(node.value)
for folder, _, names in os.walk(root):
    for name in names:
        path = os.path.relpath(os.path.join(folder, name), root)
        if any(fnmatch.fnmatch(path, pattern) for pattern in found["exported"]):
            os.makedirs(os.path.dirname(os.path.join(to, path)), exist_ok=True)
            shutil.copy2(os.path.join(folder, name), os.path.join(to, path))
with open(arguments, "w", encoding="utf-8") as file:
    file.writelines(f"-DWEBNN_{name}=OFF\n" for name in found["off"])
    file.writelines(f"-DWEBNN_{name}=ON\n" for _, names in found["PARTS"].values() for name in names)
PYTHON
mapfile -t arguments <"$work/conan-arguments"
cmake -S "$work/conan" -B "$work/conan/build/conan" -DCMAKE_BUILD_TYPE=Release "${arguments[@]}"
cmake --build "$work/conan/build/conan"
cmake --install "$work/conan/build/conan" --prefix "$work/conan-package"
expect "$work/conan-package" "${library[@]}" include/webnn/onnx.h
expect "$work/conan/build/conan" notices/library/NOTICE
echo "try_recipes: all recipes ran"
