"""The npm package `@promptpack/langchain` as the judge of the packs that Signalbox writes.

`tests/vectors/promptpack/langchain-0.1.0.json` records its verdicts on damaged packs; `refusal`
agrees with all of them. To record them again, name the folder of a copy of the package (after
`npm install @promptpack/langchain@0.1.0`, its folder in `node_modules`):

    SIGNALBOX_PROMPTPACK_CLIENT=… python -m tests.dialects.promptpack.upstream_client
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.core.convert.packs import converted, samples
from tests.dialects.promptpack.packs import DIALECT, pack
from workflows.core.pack.edits import AddObject, AddState
from workflows.core.pack.files import Files

RECORDED = Path(__file__).parents[2] / "vectors" / "promptpack" / "langchain-0.1.0.json"
CLIENT = os.environ.get("SIGNALBOX_PROMPTPACK_CLIENT", "")
SCRIPT = """
const client = require(process.argv[1]);
const files = require('node:fs').readdirSync(process.argv[2]);
const verdicts = {};
for (const file of files) {
  try {
    const path = process.argv[2] + '/' + file;
    const pack = client.PromptPackRegistry.loadFromFile(path, { validate: true });
    for (const promptId of Object.keys(pack.prompts))
      new client.PromptPackTemplate({ pack, promptId }).getSystemTemplate();
    verdicts[file] = '';
  } catch (error) {
    verdicts[file] = error.message.split(path_of(file)).join('').replace(/^[^:]*: /, '');
  }
}
function path_of(file) { return process.argv[2] + '/' + file; }
console.log(JSON.stringify(verdicts));
"""


def written_packs() -> Iterator[tuple[str, Any]]:
    """Every pack that Signalbox writes: the samples, the start of a new pack with each object and
    state that can be added, and every shipped pack of another dialect as a PromptPack."""
    for name, files in DIALECT.samples().items():
        yield f"promptpack/{name}", tree_of(files)
    blank = DIALECT.read(DIALECT.samples()["blank"])
    for item in DIALECT.palette():
        if not item.level and item.kind not in ("composition", "agent"):
            after = DIALECT.apply(blank, AddState(id="added", kind=item.kind))
            yield f"blank with {item.kind}", tree_of(after.files)
    for section in DIALECT.outline(blank):
        if section.addable:
            after = DIALECT.apply(blank, AddObject(kind=section.kind, key="added"))
            yield f"blank with a new {section.kind}", tree_of(after.files)
    for known in samples():
        if known.dialect != "promptpack":
            yield f"{known.name} converted", tree_of(converted(known, "promptpack").files)


def tree_of(files: Files) -> Any:
    (path,) = (path for path in files if path.endswith(".pack.json"))
    return json.loads(files[path])


def damaged_packs() -> Iterator[tuple[str, Any]]:
    """A good pack without each of its members, and with other values for them."""
    good = {key: value for key, value in pack().items() if key != "workflow"}
    good["prompts"] = {"draft": good["prompts"]["draft"]}
    yield "good", good
    for pointer in [(key,) for key in good] + [("prompts", "draft", key) for key in _prompt(good)]:
        for label, value in (("gone", None), ("empty", ""), ("number", 7), ("list", ["x"])):
            tree = deepcopy(good)
            place: Any = tree
            for key in pointer[:-1]:
                place = place[key]
            if label == "gone":
                del place[pointer[-1]]
            else:
                place[pointer[-1]] = value
            yield f"{'/'.join(pointer)} {label}", tree
    yield "no prompts", {**good, "prompts": {}}


def _prompt(tree: Any) -> Any:
    return tree["prompts"]["draft"]


def refusal(tree: Any) -> bool:
    """Return True if the client refuses this pack, as its recorded verdicts show."""
    for key in ("id", "name", "version"):
        if not isinstance(tree.get(key), str) or not tree[key]:
            return True
    if not isinstance(tree.get("template_engine"), dict | list):
        return True
    prompts = tree.get("prompts")
    prompts = dict(enumerate(prompts)) if isinstance(prompts, list) else prompts
    if not isinstance(prompts, dict) or not prompts:
        return True
    needed = ("id", "name", "version", "system_template")
    return any(
        not isinstance(prompt, dict) or not all(prompt.get(key) for key in needed)
        for prompt in prompts.values()
    )


def verdicts(packs: dict[str, Any]) -> dict[str, str]:
    """The client's error for each pack, "" for one that it loads. Needs Node.js."""
    node = shutil.which("node") or sys.exit("Node.js is missing.")
    names = list(packs)
    with TemporaryDirectory() as folder:
        for number, name in enumerate(names):
            Path(folder, f"{number}.pack.json").write_text(json.dumps(packs[name]))
        command = [node, "-e", SCRIPT, CLIENT, folder]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    found = json.loads(done.stdout)
    return {name: found[f"{number}.pack.json"] for number, name in enumerate(names)}


def main() -> int:
    if not CLIENT:
        print("SIGNALBOX_PROMPTPACK_CLIENT names no folder.", file=sys.stderr)
        return 2
    damaged = dict(damaged_packs())
    found = verdicts(damaged)
    recorded = {name: {"pack": damaged[name], "error": found[name]} for name in damaged}
    RECORDED.parent.mkdir(parents=True, exist_ok=True)
    RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")
    loaded = verdicts(dict(written_packs()))
    refused = {name: error for name, error in loaded.items() if error}
    print(f"{len(loaded) - len(refused)} of {len(loaded)} written packs are loaded.", refused)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
