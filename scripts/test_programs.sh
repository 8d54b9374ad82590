#!/bin/sh
# Programs that tests need in addition to Python and Node: Chromium for the browser tests, Firefox and
# WebKitGTK for one journey in each, bubblewrap for one isolation of commands. Takes those there are,
# or Debian's where they can be installed.
set -eu
PATH=$PATH:/usr/sbin:/sbin  # where the tools are that apt-get runs
found_chromium() {  # the quickest, or one of those named
    for name in "${SIGNALBOX_CHROMIUM:-}" chromium-headless-shell "$@"; do
        [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 && return 0
    done
    return 1
}
missing=
found_chromium || missing=chromium-headless-shell
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
command -v firefox-esr >/dev/null 2>&1 || missing="$missing firefox-esr"
command -v WebKitWebDriver >/dev/null 2>&1 || missing="$missing webkit2gtk-driver"
command -v Xvfb >/dev/null 2>&1 || missing="$missing xvfb"
if [ -n "$missing" ] && command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
    echo "Installing Debian's packages for the tests: $missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null || true
    for package in $missing; do
        apt-get install -y -qq --no-install-recommends "$package" >/dev/null || true
    done
fi
for program in bwrap firefox-esr WebKitWebDriver Xvfb; do
    command -v "$program" >/dev/null 2>&1 || echo "There is no $program here. Its tests are skipped."
done
found_chromium chromium chromium-browser google-chrome && exit 0
echo "There is no Chromium here and it could not be installed, so the browser tests cannot run." >&2
echo "Install it (on Debian: 'sudo apt-get install chromium-headless-shell'), or set SIGNALBOX_CHROMIUM to its path." >&2
exit 1
