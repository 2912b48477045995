#!/usr/bin/env bash
# Every lint in one place: tests/lint/all.sh [BUILD]. Without a build directory, only what needs none.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:-}
failed=0

check() {  # NAME COMMAND...
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "ok    $name"
  else
    failed=1
    echo "FAIL  $name"
    printf '%s\n' "$output" | head -50 | sed 's/^/      /'
  fi
}

formatted() {
  local tool
  tool=$(command -v clang-format-14) || { echo "clang-format-14 is not installed"; return 1; }
  find "$root"/include "$root"/src "$root"/preload "$root"/tools "$root"/tests \
    \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cpp' \) -print0 |
    xargs -0 -r "$tool" --dry-run -Werror
}

check "includes" python3 "$here/includes.py" "$root"
check "text" python3 "$here/text.py" "$root"
check "format" formatted
if [ -n "$build" ]; then
  library=$build/libtelemetry.so
  mapfile -t objects < <(find "$build/preload/CMakeFiles/telemetry.dir" -name '*.o' | sort)
  check "exported symbols" python3 "$here/symbols.py" exports "$library" "$root/src/api/libtelemetry.map"
  check "undefined symbols" python3 "$here/symbols.py" undefined "$here/allowed_symbols.txt" "${objects[@]}"
  check "needed libraries" python3 "$here/symbols.py" needed "$library"
fi
exit "$failed"
