# The Debian packages that the scripts need, in one place; sourced by them. Nothing happens on sourcing.

packages_to_build=(cmake make ninja-build g++ libcli11-dev libfmt-dev libspdlog-dev libxxhash-dev nlohmann-json3-dev)
packages_of_quickstart=(redis-tools)
packages_to_test=(libgtest-dev libgmock-dev clang-14 libclang-rt-14-dev clang-format-14 python3 perl git sqlite3 redis-tools valgrind gcc procps strace
                  libcap2-bin)

# A program that somebody installed in another way is as good as its package.
packages_for_commands() {  # COMMAND PACKAGE...
  while [ $# -gt 1 ]; do
    command -v "$1" >/dev/null || printf '%s\n' "$2"
    shift 2
  done
}

missing_packages() {  # PACKAGE...
  local package
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s\n' "$package"
  done
}

# Installs what is missing of PACKAGE..., says what, and says in one line why it could not.
install_missing() {
  local missing log as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null || ! sudo -v; then
      echo "these Debian packages are missing, and installing them needs root or sudo: ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  command -v apt-get >/dev/null || { echo "no apt-get here; install by hand: ${missing[*]}" >&2; return 1; }
  echo "installing with apt-get: ${missing[*]}"
  log=$(mktemp)
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120)
  if ! { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
    echo "apt-get could not install them: $(grep -m1 '^E: ' "$log" || tail -n1 "$log"); all it said: $log" >&2
    return 1
  fi
  rm -f "$log"
}
