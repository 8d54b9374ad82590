"""Why parts of a pipeline become nothing elsewhere: what only stages have."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.convert.coverage import Pointer
from workflows.core.dialects.stages.source import StagesSource

OF_PIPELINE = {
    "format": "Names the format of the pipeline.",
    "grants": "Only stages grant single calls of tools that are not allowed.",
    "runInputSchema": "Says more of an input than its type and whether it is needed.",
}
OF_ENTRY = {
    "file": "Says in which file the stage stands.",
    "setup": "A field that the prompt does not show, or one that says more than where it is from.",
    "gate": "Only stages are held back by a condition before they begin.",
    "assert": "Only stages look at a result and try again.",
    "exit": "Keeps something other than a part of the result.",
    "next": "Says how the way on is written.",
    "onParallelFailure": "Only stages run several branches at once, one of which may fail.",
}
OF_STAGE = {
    "completionTool": "Names the call with which a stage hands over its result.",
    "inputsSchema": "Only stages check what the stage before hands over.",
    "retryPolicy": "Only stages wait before they try again.",
    "resolutionPolicy": "Only stages say what to do at a closed gate.",
    "tags": "Words for the author, which change nothing in a run.",
}


def reasons(source: StagesSource) -> Iterator[tuple[str, Pointer, str]]:
    """Places that say nothing to other dialects, each with a sentence."""
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
            yield path, (), "No stage of the pipeline stands in this file."
