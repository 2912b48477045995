#!/usr/bin/env bash
# Builds the reader with libFuzzer and runs it: run.sh DIRECTORY SECONDS. What it finds lies in DIRECTORY/found. Ends with
# 77 where clang cannot build such a target.
set -euo pipefail
directory=$1 seconds=$2
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' >"$probe/probe.cpp"
if ! clang++-14 -fsanitize=fuzzer,address,undefined "$probe/probe.cpp" -o "$probe/probe" >/dev/null 2>&1; then
  echo "clang++-14 with libFuzzer is not installed (packages clang-14, libclang-rt-14-dev)"
  exit 77
fi
cmake -S "$(dirname "$0")/../.." -B "$directory" -G Ninja -DTL_TESTS=ON -DTL_FUZZ=ON -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_CXX_FLAGS=-O1 -DCMAKE_C_COMPILER=clang-14 -DCMAKE_CXX_COMPILER=clang++-14 \
  -DTL_SANITIZE=fuzzer-no-link,address,undefined,float-cast-overflow >/dev/null
cmake --build "$directory" -j 2 --target reader_fuzz fuzz_seeds
mkdir -p "$directory/corpus" "$directory/found" "$directory/seeds"
"$directory/tests/fuzz/fuzz_seeds" "$directory/seeds"
"$directory/tests/fuzz/reader_fuzz" "$directory/corpus" "$directory/seeds" -max_total_time="$seconds" -max_len=16384 \
  -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 -artifact_prefix="$directory/found/"
