"""Rules whose findings are reported when a file is read."""

from __future__ import annotations

from workflows.core.rules.kit import reported

REPORTED = reported("""
PP101 error Not JSON
    The file is not valid JSON, so nothing can be drawn, checked or run. The message has the line
    at which parsing stopped; the cause is often just before it, such as an extra comma or a missing
    quote. Repair it in the text view.
PP102 error Not a pack
    The file is JSON but not an object with prompts, so it is not a PromptPack. Either the file
    name ends in .pack.json by mistake, or the content was replaced.
PP103 warning Duplicate key
    One object has the same key twice. Parsers keep the last value and drop the other, so a
    state, prompt or event in the file may be missing from the graph. Remove or rename one of the
    two.
PP104 error Unpaired surrogate
    JSON writes some characters, such as emoji, as a pair of escapes. One of the pair is missing
    here, so the text cannot be stored, sent or displayed. Complete the pair or remove the other
    escape in the text view.
""")
