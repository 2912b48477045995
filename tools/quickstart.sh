#!/usr/bin/env bash
# From a fresh Debian 12 to two reports: what Debian's redis-server does with its allocator under load, unmodified, and
# the percentiles of a small annotated program. Installs what is missing, leaves nothing running.
# PORT, REQUESTS and PAIRS in the environment change the load on redis.
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/packages.sh

port=${PORT:-6399}
requests=${REQUESTS:-100000}
pairs=${PAIRS:-5}
build=build
work=$(mktemp -d)
server=

stop_server() {
  [ -n "$server" ] || return 0
  timeout 10 redis-cli -p "$port" shutdown nosave >/dev/null 2>&1 || kill "$server" 2>/dev/null || true
  for _ in $(seq 100); do
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
}

clean_up() {
  stop_server
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

fail() {
  echo "quickstart: $*" >&2
  exit 1
}

title() { printf '\n== %s\n' "$*"; }

port_is_busy() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

# redis-tools holds the server's program (as redis-check-rdb, which is the server when it is called by that name), so
# the package redis-server, which would start a service, is not needed.
start_server() {  # LAUNCHER...
  local i
  "$@" "$work/redis-server" --port "$port" --bind 127.0.0.1 --save '' --appendonly no --dir "$work" --logfile "$work/log" \
    2>"$work/said" &
  server=$!
  for i in $(seq 100); do
    if redis-cli -p "$port" ping 2>/dev/null | grep -q PONG; then return; fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
  done
  fail "redis-server did not start: $(tail -n 1 "$work/said" "$work/log" 2>/dev/null | tr '\n' ' ')"
}

requests_a_second() {  # prints them: SET and GET of 64 bytes, 50 clients, no pipeline
  redis-benchmark -p "$port" -n "$requests" -t set,get -d 64 -r 10000 --csv 2>/dev/null |
    tr -d '"' | awk -F, '$2 + 0 > 0 { sum += $2; n++ } END { if (n) printf "%.0f\n", sum / n }'
}

measured() {  # LAUNCHER... : one server, warmed up, measured, stopped
  start_server "$@"
  redis-benchmark -p "$port" -n $((requests / 10)) -t set,get -d 64 -r 10000 -q >/dev/null
  requests_a_second
  stop_server
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

install_missing "${packages_to_build[@]}" "${packages_of_quickstart[@]}" || fail "packages are missing"
! port_is_busy || fail "port $port of 127.0.0.1 is taken; choose another: PORT=6400 ./tools/quickstart.sh"

title "building into $build/"
export CMAKE_GENERATOR=Ninja  # where the directory is new
{ cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DTL_TESTS=OFF && cmake --build "$build" -j2; } >"$work/build.log" 2>&1 ||
  { tail -n 20 "$work/build.log" >&2; fail "the build failed"; }
echo "$build/libtelemetry.so, $build/tlrun, $build/tlreport"

server_program=$(command -v redis-check-rdb) || fail "redis-tools holds no redis-check-rdb here"
ln -s "$server_program" "$work/redis-server"
profiled=("$build/tlrun" --alloc time --output "$work/%e.%p.tl" --)

title "redis-server under redis-benchmark on 127.0.0.1:$port, without and with the library in turn"
echo "the server is $server_program of Debian's redis-tools, as it is; nothing is saved, no service is started"
for i in $(seq "$pairs"); do
  rm -f "$work"/redis-server.*.tl
  if [ $((i % 2)) -eq 1 ]; then
    measured >>"$work/without"
    measured "${profiled[@]}" >>"$work/with"
  else
    measured "${profiled[@]}" >>"$work/with"
    measured >>"$work/without"
  fi
  printf 'pair %s: without %s, with %s requests a second\n' "$i" "$(tail -n1 "$work/without")" "$(tail -n1 "$work/with")"
done
dump=$(ls "$work"/redis-server.*.tl 2>/dev/null | head -n 1)
[ -n "$dump" ] || fail "no dump of redis-server: $(cat "$work/said")"
kept=$build/quickstart.redis-server.tl
mv -f "$dump" "$kept"

title "tlreport $kept"
"$build/tlreport" "$kept"

title "throughput of redis-server"
paste "$work/without" "$work/with" | awk '{ print $2 / $1 }' | sort -n >"$work/ratios"
printf 'medians: %s requests a second without, %s with every allocation call timed\n' \
  "$(median <"$work/without")" "$(median <"$work/with")"
printf 'with / without: %.3f in the median pair, %.3f to %.3f in all; what moves more than the median is the machine\n' \
  "$(median <"$work/ratios")" "$(head -n 1 "$work/ratios")" "$(tail -n 1 "$work/ratios")"

title "an annotated program: tests/examples/orders.c"
run() { echo "$ $*"; "$@"; }
run cc -O2 -DTL_LINKED -Iinclude tests/examples/orders.c -o "$build/orders" -L"$build" -ltelemetry -Wl,-rpath,"$PWD/$build" -pthread
rm -f "$build"/quickstart.orders.tl*
run "$build/tlrun" --output "$build/quickstart.orders.tl" -- "$build/orders"
run "$build/tlreport" "$build/quickstart.orders.tl"

title "done; both dumps stay in $build/"
