#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that a group of make's targets needs and that are missing.
#
#   tools/deps.sh GROUP...     build test lint sanitize cross cover peers faults, or all
#
# Without those of faults the tests that cut a network up skip, and say so.
# Root installs, a user goes through sudo; where neither works the one command to run is printed,
# and the exit status is 1. Without dpkg nothing is checked: the build says what it lacks.
set -eu

packages_of() {
    case $1 in
    build) echo gcc libc6-dev binutils pkg-config meson ninja-build python3 libdnnl-dev \
        libopenblas0-serial libpng-dev libjpeg62-turbo-dev libgif-dev libsleef-dev libsnappy1v5 zlib1g-dev libpcre2-dev \
        libgrpc-dev libucx-dev python3-dev ;;
    test) echo libcmocka-dev python3-numpy ;;
    lint) echo clang-format-14 g++ git ;;
    sanitize) echo clang-14 libclang-rt-14-dev llvm-14 ;;
    cross) echo gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user ;;
    cover) echo gcovr ;;
    peers) echo python3-venv libxsmm-dev ;;
    faults) echo nftables ;;
    all) for group in build test lint sanitize cross cover peers faults; do packages_of $group; done ;;
    *) echo "tools/deps.sh: no group '$1'" >&2; exit 2 ;;
    esac
}

command -v dpkg-query >/dev/null 2>&1 || exit 0
wanted=$(for group in "$@"; do packages_of "$group"; done)
# shellcheck disable=SC2086 # a list of words
present=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
    sed -n 's/^installed //p' | tr '\n' ' ') "
missing=
for package in $wanted; do
    case $present in
    *" $package "*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
    sudo=
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    sudo=sudo
else
    echo "Some Debian packages are missing. As root, run this, then make again:" >&2
    echo "  apt-get update && $install" >&2
    exit 1
fi
echo "Installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive $install </dev/null
