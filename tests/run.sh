#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test: tests/run.sh [--long]
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/packages.sh

long=OFF
for argument in "$@"; do
  case $argument in
    --long) long=ON ;;
    *) echo "usage: tests/run.sh [--long]; unknown: $argument" >&2; exit 2 ;;
  esac
done

mapfile -t by_command < <(packages_for_commands node nodejs java default-jre-headless)
install_missing "${packages_to_build[@]}" "${packages_to_test[@]}" "${by_command[@]}"
cmake -S . -B build-test -G Ninja -DCMAKE_BUILD_TYPE=Release -DTL_WERROR=ON -DTL_TESTS=ON -DTL_LONG_TESTS=$long
cmake --build build-test -j 2
ctest --test-dir build-test --output-on-failure --no-tests=error -j 2
