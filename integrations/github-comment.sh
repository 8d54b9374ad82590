#!/usr/bin/env bash
# Write the comment on the pull request, or update the one that an earlier check wrote.
set -euo pipefail
[ -s "$COMMENT" ] || exit 0
comments="repos/$GITHUB_REPOSITORY/issues"
mine='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- signalbox -->"))) | .id'
id=$(gh api --paginate "$comments/$NUMBER/comments" --jq "$mine" | head -n 1)
if [ -n "$id" ]; then
  gh api --silent --method PATCH "$comments/comments/$id" --field "body=@$COMMENT"
else
  gh api --silent --method POST "$comments/$NUMBER/comments" --field "body=@$COMMENT"
fi
