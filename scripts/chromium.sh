#!/bin/sh
# Sees to a Chromium for the browser tests: the one there is, or Debian's where it can be installed.
set -eu
PATH=$PATH:/usr/sbin:/sbin  # where the tools are that apt-get runs
found() {
    for name in "${SIGNALBOX_CHROMIUM:-}" chromium chromium-browser google-chrome; do
        [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}
found && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Debian's Chromium for the browser tests."
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null || true
fi
found && exit 0
echo "There is no Chromium here and it could not be installed, so the browser tests cannot run." >&2
echo "Install it (on Debian: 'sudo apt-get install chromium'), or set SIGNALBOX_CHROMIUM to its path." >&2
exit 1
