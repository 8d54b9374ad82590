#!/bin/sh
# Runs of a repository's packs as a CI job starts them. Each exit code is the one that docs/cli.md
# names. Expects signalbox in PATH, and $PACK (agent graph), $SMALL and $ASKS (PromptPacks).
set -u

expect() {
    wanted=$1
    shift
    "$@"
    got=$?
    if [ "$got" -ne "$wanted" ]; then
        echo "exit $got instead of $wanted: $*" >&2
        exit 1
    fi
}

expect 0 signalbox check "$PACK"
expect 0 signalbox run "$PACK" --driver model --model openai:gpt-4o --workspace git:main \
    --allow-commands --keep-branch ci/repair --junit report.xml
expect 0 git rev-parse --verify --quiet ci/repair
expect 1 signalbox run "$SMALL" --script failing.json --junit failed.xml
expect 3 signalbox run "$SMALL" --script looping.json --junit budget.xml
expect 4 signalbox run "$ASKS" --script waiting.json --junit waiting.xml
expect 2 signalbox run missing.pack.json
expect 2 signalbox run "$SMALL" --script failing.json --workspace git:nowhere
expect 2 signalbox run "$SMALL" --script failing.json --workspace git:main --keep-branch ci/repair
echo "CI passed"
