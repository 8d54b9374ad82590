"""Help pages of the findings that reading the files reports."""

from __future__ import annotations

from workflows.core.rules.kit import reported

REPORTED = reported("""
ST101 error Pipeline is not JSON
    The pipeline is not valid JSON, so it cannot be drawn, checked or run. The message names the
    line where reading stopped; the cause is often just before it, such as an extra comma or a
    missing quote. Correct it in the text view.
ST102 error Neither pipeline nor stage
    No file of this pack is a pipeline or a stage, or the pipeline is JSON but not an object. A
    stage is a markdown file that begins with front matter; a pipeline is an object with `format`,
    `entryStage` and `stages`. Add one, or open the folder that contains them.
ST103 error Duplicate key in the pipeline
    An object of the pipeline has the same key twice. Readers use the last one and drop the
    other, so the stage or value under the first has no effect. Remove or rename one of the two.
ST104 error Stage cannot be read
    The front matter of this stage is not YAML, is not closed, or is not a mapping; or the stage
    object is not JSON. The stage is drawn, but it has no values and cannot run. The message names
    the line. Correct it in the text view.
ST105 error No front matter
    The pipeline names this file as a stage, but the file does not begin with front matter, so it
    has no contract: no id, no tools, no completion. Begin the file with a line of three hyphens,
    the keys of the stage, and another line of three hyphens.
ST106 error Duplicate key in a stage
    The front matter of this stage has the same key twice, which YAML 1.2 does not allow: readers
    differ in which one they use. Often the second one has lost its indentation. Remove one, or
    indent it under its parent key.
ST107 error Prompt is not UTF-8
    The body of this stage has bytes that are not UTF-8, so it cannot be sent to a model. The
    file was saved in another encoding. Save it as UTF-8.
ST108 error Lone surrogate
    JSON and YAML may write a character, such as an emoji, as a pair of escapes. One of the two
    is missing here, so the text cannot be stored, sent or displayed. Complete the pair or remove
    the remaining escape in the text view.
""")
