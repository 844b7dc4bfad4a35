#!/usr/bin/env bash
# Installs what the tests of other people's clients need: Node, npm, and the packages of tests/clients.
#
# Nothing is done if it is done already. On Debian, as root, nodejs and npm come from Debian's
# packages; they only have to install: one of the packages is the newer Node that everything runs
# with. Says why, and ends with 1, if it cannot; those tests then skip.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source scripts/shell.sh

have_npm() { have node && have npm; }

folder=tests/clients
mark=$folder/node_modules/.installed
wanted=$(cat $folder/package.json $folder/package-lock.json $folder/.npmrc | cksum)
[ "$(cat $mark 2>/dev/null)" = "$wanted" ] && exit 0

have_npm || apt_install nodejs npm || true
have_npm || {
    say "no Node for other people's clients: install node and npm (Debian: nodejs, npm)"
    exit 1
}
say "installing other people's clients into $folder/node_modules"
(cd $folder && npm ci --no-progress >&2) || {
    say "no other people's clients: npm could not install them"
    exit 1
}
printf '%s' "$wanted" >$mark
