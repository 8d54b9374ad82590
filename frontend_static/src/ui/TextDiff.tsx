/**
 * The difference between two texts: lines, and the words of changed lines. Long unchanged runs are
 * collapsed.
 */

import { useMemo, useState } from "react";
import { diffTexts, hunksOf, type Hunk, type Line, type TextDiff as Diff } from "./diffText";
import { Pre } from "./Pre";

export const useDiff = (before: string, after: string): Diff =>
  useMemo(() => diffTexts(before, after), [before, after]);

export function DiffCounts({ diff }: { diff: Diff }) {
  return (
    <span className="small">
      <span className="level-ok">+{diff.added}</span>{" "}
      <span className="level-error">−{diff.removed}</span>
    </span>
  );
}

export function TextDiff({ diff }: { diff: Diff }) {
  const hunks = useMemo(() => hunksOf(diff), [diff]);
  return (
    <Pre className="text-diff">
      {hunks.map((hunk, index) => (
        <HunkView key={index} hunk={hunk} />
      ))}
    </Pre>
  );
}

function HunkView({ hunk }: { hunk: Hunk }) {
  const [open, setOpen] = useState(!hunk.folded);
  if (!open)
    return (
      <button type="button" className="diff-line hunk" onClick={() => setOpen(true)}>
        {hunk.lines.length} lines are the same
      </button>
    );
  return hunk.lines.map((line, index) => <LineView key={index} line={line} />);
}

const SIGNS = { same: " ", added: "+", removed: "−" } as const;
const SPOKEN_SIGNS = { same: "", added: "added: ", removed: "removed: " } as const;

function LineView({ line }: { line: Line }) {
  return (
    <span className={`diff-line ${line.how}`}>
      <span className="sign" aria-hidden>
        {SIGNS[line.how]}
      </span>
      <span className="visually-hidden">{SPOKEN_SIGNS[line.how]}</span>
      {line.pieces.map((piece, index) =>
        piece.how === "same" ? piece.text : <mark key={index}>{piece.text}</mark>,
      )}
      {"\n"}
    </span>
  );
}
