#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a build folder, or brings its list of sources up to date, and compiles.
#
#   tools/configure.sh FOLDER [MESON OPTION...]
#
# The options count when the folder is made. JOBS bounds the compiler processes; TARGETS, if set, is
# all that is compiled.
set -eu
folder=$1
shift
root=$(dirname "$(dirname "$(realpath "$0")")")
if [ ! -f "$folder/build.ninja" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    python3 "$root/tools/list_sources.py" --changed "$folder/sources.list" || true
    meson setup "$folder" "$root" "$@" || { rm -rf "$folder"; exit 1; }
elif ! python3 "$root/tools/list_sources.py" --changed "$folder/sources.list"; then
    meson setup --reconfigure "$folder" "$root" || { rm -f "$folder/sources.list"; exit 1; }
fi
exec ninja -C "$folder" ${JOBS:+-j$JOBS} ${TARGETS:-}
