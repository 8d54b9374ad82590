"""Reasons for values that other dialects do not have."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.convert.coverage import Pointer
from workflows.core.dialects.stages.source import StagesSource

OF_PIPELINE = {
    "format": "The format of the pipeline.",
    "grants": "Only stages can grant calls of tools outside their list.",
    "runInputSchema": "Only the type and the requirement of an input are converted.",
}
OF_ENTRY = {
    "file": "The file of the stage.",
    "setup": "A field that the prompt does not name, or a value besides its source.",
    "gate": "Only stages have a condition that is tested before they start.",
    "assert": "Only stages check a result and retry.",
    "exit": "A value that is not part of the result.",
    "next": "The form of the transitions.",
    "onParallelFailure": "Only stages have a step for a failed parallel branch.",
}
OF_STAGE = {
    "completionTool": "The name of the tool call that returns the result.",
    "inputsSchema": "Only stages validate the results that they get.",
    "retryPolicy": "Only stages wait before a retry.",
    "resolutionPolicy": "Only stages have a policy for a closed gate.",
    "tags": "Tags have no effect on a run.",
}


def reasons(source: StagesSource) -> Iterator[tuple[str, Pointer, str]]:
    """Places of values without a counterpart in other dialects, each with the reason."""
    for key, why in OF_PIPELINE.items():
        if key in source.whole():
            yield source.main, (key,), why
    for stage, file in source.stages.items():
        for key, why in OF_ENTRY.items():
            if key in source.entry(stage):
                yield source.main, ("stages", stage, key), why
        for key, why in OF_STAGE.items():
            if key in file.values:
                yield file.path, (key,), why
    named = {file.path for file in source.stages.values()}
    for path in source.files:
        if path not in named and path != source.main:
            yield path, (), "No stage of the pipeline uses this file."
