/** The difference between two texts: lines, and the words of changed lines. */

import { diffArrays, diffWordsWithSpace } from "diff";

export type LineChange = "same" | "added" | "removed";

export interface Piece {
  how: LineChange;
  text: string;
}

/** One line. A changed line has a piece per run of words; every other line has one piece. */
export interface Line {
  how: LineChange;
  pieces: readonly Piece[];
}

/** A run of lines. Long unchanged runs are `folded` until the user opens them. */
export interface Hunk {
  folded: boolean;
  lines: readonly Line[];
}

export interface TextDiff {
  added: number;
  removed: number;
  lines: readonly Line[];
}

/** Texts with almost nothing in common are shown as replaced rather than compared for longer. */
const DIFF_TIMEOUT_MS = 250;
const MAX_WORD_EDITS = 120;
const MAX_WORD_DIFF_LENGTH = 4000;
const CONTEXT_LINES = 3;

export function diffTexts(before: string, after: string): TextDiff {
  const lines =
    before === after
      ? allLines(after, "same")
      : (diffWithEmpty(before, after) ?? diffLines(before, after));
  const count = (how: LineChange) => lines.filter((line) => line.how === how).length;
  return { added: count("added"), removed: count("removed"), lines };
}

/** Group lines into changes with context and folded unchanged runs. */
export function hunksOf({ lines }: TextDiff): Hunk[] {
  const isNear = lines.map(() => false);
  lines.forEach((line, index) => {
    if (line.how !== "same")
      isNear.fill(true, Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1);
  });
  const hunks: { folded: boolean; lines: Line[] }[] = [];
  lines.forEach((line, index) => {
    const folded = !isNear[index];
    const last = hunks.at(-1);
    if (last?.folded === folded) last.lines.push(line);
    else hunks.push({ folded, lines: [line] });
  });
  // A folded single line would take as much space as the line itself.
  return hunks.map((hunk) => ({ ...hunk, folded: hunk.folded && hunk.lines.length > 1 }));
}

/** The difference if one of the texts is empty; else null. */
function diffWithEmpty(before: string, after: string): Line[] | null {
  if (before === "") return allLines(after, "added");
  return after === "" ? allLines(before, "removed") : null;
}

function diffLines(before: string, after: string): Line[] {
  const changes = diffArrays(before.split("\n"), after.split("\n"), { timeout: DIFF_TIMEOUT_MS });
  if (!changes) return [...allLines(before, "removed"), ...allLines(after, "added")];
  return changes.flatMap((part, index) => {
    if (!part.added && !part.removed) return part.value.map((text) => line("same", text));
    const next = changes[index + 1];
    const previous = changes[index - 1];
    if (part.removed && next?.added) return diffReplacedLines(part.value, next.value);
    if (part.added && previous?.removed) return [];
    return part.value.map((text) => line(part.added ? "added" : "removed", text));
  });
}

/** Replaced lines: first the removed, then the added, with the changed words marked. */
function diffReplacedLines(before: readonly string[], after: readonly string[]): Line[] {
  const pairs = before.map((text, index) => diffWords(text, after[index]));
  const removed = before.map((text, index) => ({
    how: "removed" as const,
    pieces: pairs[index]?.was ?? onePiece("same", text),
  }));
  const added = after.map((text, index) => ({
    how: "added" as const,
    pieces: pairs[index]?.is ?? onePiece("same", text),
  }));
  return [...removed, ...added];
}

/** The words of both sides of a changed line; null if too few are equal. */
function diffWords(
  before: string,
  after: string | undefined,
): { was: Piece[]; is: Piece[] } | null {
  if (after === undefined || before.length + after.length > MAX_WORD_DIFF_LENGTH) return null;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MAX_WORD_EDITS });
  if (!changes?.some((part) => !part.added && !part.removed && part.value.trim())) return null;
  const side = (mine: "added" | "removed", other: "added" | "removed"): Piece[] =>
    changes
      .filter((part) => !part[other])
      .map((part) => ({ how: part[mine] ? mine : "same", text: part.value }));
  return { was: side("removed", "added"), is: side("added", "removed") };
}

const onePiece = (how: LineChange, text: string): Piece[] => [{ how, text }];
const line = (how: LineChange, text: string): Line => ({ how, pieces: onePiece("same", text) });
const allLines = (text: string, how: LineChange): Line[] =>
  text.split("\n").map((one) => line(how, one));
