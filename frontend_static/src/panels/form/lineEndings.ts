/**
 * Keeps the line endings of a file. Text editors join lines with \n; unchanged lines keep their
 * own.
 */

const LINES = /[^\r\n]*(?:\r\n|\r|\n|$)/g;

/** `edited` (with \n) with the line endings of `original`. New lines get the most common ending. */
export function withLineEndings(original: string, edited: string): string {
  if (!original.includes("\r")) return edited;
  const before = splitLines(original);
  const after = splitLines(edited);
  const usual = commonestEnding(before);
  const head = commonLength(before, after, (list, index) => list[index]);
  const tail = Math.min(
    commonLength(before, after, (list, index) => list[list.length - 1 - index]),
    Math.min(before.length, after.length) - head,
  );
  const originalLines = (from: number, to: number) => before.slice(from, to).join("");
  const changed = after.slice(head, after.length - tail).map((line) => line.replace(/\n$/, usual));
  return (
    originalLines(0, head) + changed.join("") + originalLines(before.length - tail, before.length)
  );
}

function splitLines(text: string): string[] {
  return (text.match(LINES) ?? []).filter((line) => line !== "");
}

const normalizeLineEnding = (line: string | undefined) => line?.replace(/\r\n?$/, "\n");

function commonLength(
  before: string[],
  after: string[],
  at: (list: string[], index: number) => string | undefined,
): number {
  const maxLength = Math.min(before.length, after.length);
  let same = 0;
  while (same < maxLength && normalizeLineEnding(at(before, same)) === at(after, same)) same += 1;
  return same;
}

function commonestEnding(lines: string[]): string {
  const windows = lines.filter((line) => line.endsWith("\r\n")).length;
  const unix = lines.filter((line) => line.endsWith("\n")).length - windows;
  const old = lines.filter((line) => line.endsWith("\r")).length;
  return windows >= unix && windows >= old ? "\r\n" : unix >= old ? "\n" : "\r";
}
