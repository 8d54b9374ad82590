#!/usr/bin/env bash
# Print annotations, write SARIF and the comment, and end with the exit code of the check.
set -uo pipefail
options=()
while IFS= read -r line; do [ -z "$line" ] || options+=("$line"); done <<< "${OPTIONS:-}"
[ -z "${SINCE:-}" ] || options+=("--since=$SINCE")
paths=()
while IFS= read -r line; do [ -z "$line" ] || paths+=("$line"); done <<< "${PATHS:-.}"

signalbox check "${options[@]}" --format github --output "sarif=$SARIF" \
  --output "markdown=$COMMENT" -- "${paths[@]}"
code=$?
[ ! -f "$COMMENT" ] || cat "$COMMENT" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$code"
