#!/usr/bin/env bash
# Builds the project once more with other compilers or flags: other_build.sh DIRECTORY [TESTS] CMAKE-ARGUMENTS...
# TESTS: "unit", or "unit,dump": only what those tests need is built, and they are run.
set -euo pipefail
directory=$1
shift
tests=()
case ${1:-} in
  unit) tests=(unit) ;;
  unit,dump) tests=(unit dump) ;;
esac
[ ${#tests[@]} -eq 0 ] || shift
cmake -S "$(dirname "$0")/.." -B "$directory" -G Ninja "$@"
targets=()
for each in "${tests[@]}"; do
  targets+=("${each}_tests")
  [ "$each" != dump ] || targets+=(tlreport)
done
cmake --build "$directory" -j 2 ${targets[@]+--target "${targets[@]}"}
for each in "${tests[@]}"; do
  "$directory/tests/$each/${each}_tests" --gtest_brief=1
done
