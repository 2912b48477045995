#!/usr/bin/env bash
# Builds the project once more with other compilers or flags: other_build.sh DIRECTORY [run] CMAKE-ARGUMENTS...
# "run": only what the tests of single parts and of dumps need is built, and they are run.
set -euo pipefail
directory=$1
shift
run=
[ "${1:-}" != run ] || { run=1; shift; }
cmake -S "$(dirname "$0")/.." -B "$directory" -G Ninja "$@"
cmake --build "$directory" -j 2 ${run:+--target unit_tests dump_tests tlreport}
if [ -n "$run" ]; then
  "$directory/tests/unit/unit_tests" --gtest_brief=1
  "$directory/tests/dump/dump_tests" --gtest_brief=1
fi
