#!/usr/bin/env bash
# Builds the project once more with other compilers or flags: other_build.sh DIRECTORY [run] CMAKE-ARGUMENTS...
# "run": the unit tests are run too.
set -euo pipefail
directory=$1
shift
run=
[ "${1:-}" != run ] || { run=1; shift; }
cmake -S "$(dirname "$0")/.." -B "$directory" -G Ninja "$@"
cmake --build "$directory" -j 2 ${run:+--target unit_tests}
[ -z "$run" ] || "$directory/tests/unit/unit_tests" --gtest_brief=1
