#!/bin/sh
# A compiler launcher that takes an object from a finished build, where that build has compiled the
# same source with the same command, and otherwise compiles.
#   reuse_object.sh BUILD_FOLDER COMPILER argument...
build=$1
shift
command= object= depfile= source= previous=
for argument; do
  case $previous in
    -o) object=$argument ;;
    -MF) depfile=$argument ;;
    -MT) ;;
    *)
      [ "$previous" != -c ] || source=$argument
      case $argument in
        -o | -MF | -MT | -MD) ;;
        */generated | */cmake_pch.hxx) command="$command GENERATED" ;; # the same in every build with these options
        *) command="$command $argument" ;;
      esac
      ;;
  esac
  previous=$argument
done
# "command": "[launcher] COMPILER flags -o OBJECT -c SOURCE",
known=$(grep -F -- " -c $source\"," "$build/compile_commands.json" | head -1 |
  sed 's, [^ ]*/\(generated\|cmake_pch.hxx\) , GENERATED ,g')
before=${known%% -o *}
finished=${known#* -o }
finished=$build/${finished%% -c *}
unquoted() { printf %s "$1" | tr -d '\\"'; }
case $(unquoted "$before -c $source") in
  *"$(unquoted "${command# }")")
    if [ -n "$object" ] && [ -f "$finished" ]; then
      [ -z "$depfile" ] || echo "$object: $source" >"$depfile"
      ln -f "$finished" "$object" 2>/dev/null && exit 0  # a link takes no space
      exec cp "$finished" "$object"
    fi
    ;;
esac
exec "$@"
