#!/usr/bin/env bash
# Print annotations, write SARIF and the comment, and end with the exit code of the check.
set -uo pipefail
options=()
while IFS= read -r line; do [ -z "$line" ] || options+=("$line"); done <<< "${OPTIONS:-}"
[ -z "${SINCE:-}" ] || options+=("--since=$SINCE")
paths=()
while IFS= read -r line; do [ -z "$line" ] || paths+=("$line"); done <<< "${PATHS:-.}"
check() { signalbox check "${options[@]}" "$@" -- "${paths[@]}"; }

check --format sarif > "$SARIF"
check --format markdown > "$COMMENT"
cat "$COMMENT" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
check --format github
