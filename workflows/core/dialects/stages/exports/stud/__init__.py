"""A pipeline as an extension folder that stud-cli discovers (stages.md section 16.3).

extensions/state-machines/<id>/
  manifest.json         the manifest for discovery
  pipeline.json         the pipeline and its stages, byte for byte
  stages/*.md
  stages.generated.ts   the same as code: definitions with the hooks of the executor
  index.ts              the contract of the state machine
"""

from __future__ import annotations

import json
from posixpath import dirname, join, relpath

from workflows.core.dialects.base import ExportFormat, ExportResult
from workflows.core.dialects.stages.exports.stud.code import definitions, index_text, stages_text
from workflows.core.dialects.stages.exports.stud.limits import limits
from workflows.core.dialects.stages.format.repair import kebab
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.files import Files

CONTRACT_VERSION = "1.0.0"
CORE_VERSIONS = ">=1.0.0 <2.0.0"
FOLDER = "extensions/state-machines"


def extension(source: StagesSource) -> ExportResult:
    """The folder, and findings about unsupported features of stud-cli 0.1.1. Raises EditRefused for
    stages without a pipeline, and for an incomplete stage."""
    if source.pipeline is None or not source.readable:
        raise EditRefused(
            "Stages without a pipeline can't be exported as a state machine.",
            hint="Connect two stages or set the entry. That writes a pipeline.json.",
        )
    id = extension_id(source)
    root = f"{FOLDER}/{id}"
    stages = definitions(source)
    files = {
        f"{root}/manifest.json": _manifest(source, id),
        **{f"{root}/{path}": data for path, data in _sources(source).items()},
        f"{root}/stages.generated.ts": stages_text(source, id, stages).encode(),
        f"{root}/index.ts": index_text(source, id).encode(),
    }
    return ExportResult(files=Files.of(files), findings=limits(source))


def extension_id(source: StagesSource) -> str:
    """The pipeline's id as a folder name."""
    whole = source.whole()
    value = next((whole[key] for key in ("id", "name") if isinstance(whole.get(key), str)), "")
    return kebab(str(value))


def _manifest(source: StagesSource, id: str) -> bytes:
    entry = source.whole().get("entryStage")
    manifest = {
        "id": id,
        "category": "state-machines",
        "contractVersion": CONTRACT_VERSION,
        "requiredCoreVersion": CORE_VERSIONS,
        "configSchema": {
            "type": "object",
            "additionalProperties": False,
            "required": ["entry"],
            "properties": {
                "entry": {"type": "string", "minLength": 1},
                "enabled": {"type": "boolean"},
                "autoAttach": {"type": "boolean"},
                "input": {"type": "object"},
            },
        },
        "config": {"entry": entry},
    }
    return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()


def _sources(source: StagesSource) -> dict[str, bytes]:
    """The pipeline and its stage files, by relative path."""
    folder = dirname(source.main)
    sources = {"pipeline.json": source.files[source.main]}
    for stage, file in source.stages.items():
        path = relpath(file.path, folder or ".")
        if path.startswith("../"):
            raise EditRefused(
                f"The file of {stage!r} is outside the folder of the pipeline.",
                where=f"state:{stage}",
                hint="Move it into that folder, and change its path in the pipeline.",
            )
        if join(folder, path) in source.files:
            sources[path] = source.files[file.path]
    return sources


EXPORTS = (
    ExportFormat(
        name="stud-cli",
        title="stud-cli extension",
        description="A folder for .stud/extensions: the pipeline and its stages unchanged, and the "
        "code for stud-cli to run them.",
        make=extension,
    ),
)
