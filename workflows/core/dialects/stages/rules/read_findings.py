"""Help pages of the findings that reading the files reports."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.stages.rules.kit import (
    stage_rule,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note


@stage_rule("ST101", "error", "Pipeline is not JSON", profiles=EVERY)
def not_json(facts: Facts) -> Iterable[Note]:
    """The pipeline is not valid JSON, so it cannot be drawn, checked or run. The message names the
    line where reading stopped; the cause is often just before it, such as an extra comma or a
    missing quote. Correct it in the text view."""
    return ()


@stage_rule("ST102", "error", "Neither pipeline nor stage", profiles=EVERY)
def nothing_here(facts: Facts) -> Iterable[Note]:
    """No file of this pack is a pipeline or a stage, or the pipeline is JSON but not an object. A
    stage is a markdown file that begins with front matter; a pipeline is an object with `format`,
    `entryStage` and `stages`. Add one, or open the folder that contains them."""
    return ()


@stage_rule("ST103", "error", "Duplicate key in the pipeline", profiles=EVERY)
def repeated_key(facts: Facts) -> Iterable[Note]:
    """An object of the pipeline has the same key twice. Readers use the last one and drop the
    other, so the stage or value under the first has no effect. Remove or rename one of the two."""
    return ()


@stage_rule("ST104", "error", "Stage cannot be read", profiles=EVERY)
def unreadable_stage(facts: Facts) -> Iterable[Note]:
    """The front matter of this stage is not YAML, is not closed, or is not a mapping; or the stage
    object is not JSON. The stage is drawn, but it has no values and cannot run. The message names
    the line. Correct it in the text view."""
    return ()


@stage_rule("ST105", "error", "No front matter", profiles=EVERY)
def no_front_matter(facts: Facts) -> Iterable[Note]:
    """The pipeline names this file as a stage, but the file does not begin with front matter, so it
    has no contract: no id, no tools, no completion. Begin the file with a line of three hyphens,
    the keys of the stage, and another line of three hyphens."""
    return ()


@stage_rule("ST106", "error", "Duplicate key in a stage", profiles=EVERY)
def repeated_stage_key(facts: Facts) -> Iterable[Note]:
    """The front matter of this stage has the same key twice, which YAML 1.2 does not allow: readers
    differ in which one they use. Often the second one has lost its indentation. Remove one, or
    indent it under its parent key."""
    return ()


@stage_rule("ST107", "error", "Prompt is not UTF-8", profiles=EVERY)
def not_utf8(facts: Facts) -> Iterable[Note]:
    """The body of this stage has bytes that are not UTF-8, so it cannot be sent to a model. The
    file was saved in another encoding. Save it as UTF-8."""
    return ()


@stage_rule("ST108", "error", "Lone surrogate", profiles=EVERY)
def lone_surrogate(facts: Facts) -> Iterable[Note]:
    """JSON and YAML may write a character, such as an emoji, as a pair of escapes. One of the two
    is missing here, so the text cannot be stored, sent or displayed. Complete the pair or remove
    the remaining escape in the text view."""
    return ()
