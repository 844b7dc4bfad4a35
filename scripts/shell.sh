# Shell functions that the scripts share. Sourced.

say() { printf '%s\n' "$*" >&2; }

# Debian keeps servers out of an ordinary user's path.
have() { command -v "$1" >/dev/null || command -v "/usr/sbin/$1" >/dev/null; }

have_valkey() { have valkey-server || have redis-server; }

apt_install() {
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
    say "installing $* from Debian's packages"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -qq -y --no-install-recommends "$@"; } >/dev/null 2>&1
}
