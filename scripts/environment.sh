# Sourced by the scripts here: makes the virtual environment .venv inside the checkout.
#
#   environment.sh demo    what the demo needs
#   environment.sh dev     what tests and benchmarks need as well
#
# Needs python3 (3.11 or later) and a package index; on Debian, as root, it installs
# python3-venv by itself. PYTHON names another interpreter.

cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-python3}
source scripts/shell.sh

make_environment() {
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        say "mailmcp needs Python 3.11 or later; PYTHON=/path/to/python3.x chooses another one"
        return 1
    }
    if [ ! -x .venv/bin/python ]; then
        "$python" -c 'import ensurepip' 2>/dev/null || apt_install python3-venv || {
            say "$python cannot make virtual environments: install its venv module (Debian: python3-venv)"
            return 1
        }
        "$python" -m venv .venv
    fi
    local pinned installed
    pinned=$(cat pyproject.toml src/mcp-envelope/pyproject.toml constraints.txt | cksum)
    installed=$(cat .venv/installed 2>/dev/null || true)
    if [ "$installed" != "dev $pinned" ] && [ "$installed" != "$1 $pinned" ]; then
        say "installing into .venv"
        .venv/bin/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
        local group=()
        [ "$1" = dev ] && group=(--group dev)
        .venv/bin/python -m pip install -q -c constraints.txt -e src/mcp-envelope -e '.[demo]' "${group[@]}"
        printf '%s' "$1 $pinned" >.venv/installed
    fi
}

make_environment "${1:-demo}"
