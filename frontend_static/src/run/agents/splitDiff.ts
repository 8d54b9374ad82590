/** A unified diff over several files, taken apart by file. Pure. */

export interface ChangedFile {
  path: string;
  how: "added" | "removed" | "changed";
  diff: string;
  added: number;
  removed: number;
}

const NOWHERE = "/dev/null";

export function filesIn(diff: string): ChangedFile[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const starts = lines.flatMap((line, at) => (isHead(lines, at) && line ? [at] : []));
  return starts.map((from, index) => fileOf(lines.slice(from, starts[index + 1] ?? lines.length)));
}

/** Removed lines may begin with two hyphens too, so both lines of a head and its hunk are looked at. */
function isHead(lines: readonly string[], at: number): boolean {
  const [first = "", second = "", third = "@@"] = lines.slice(at, at + 3);
  return first.startsWith("--- ") && second.startsWith("+++ ") && third.startsWith("@@");
}

function fileOf(lines: readonly string[]): ChangedFile {
  const [before = "", after = ""] = lines.slice(0, 2).map((line) => line.slice(4).split("\t", 1)[0] ?? "");
  const body = lines.slice(2);
  return {
    path: plain(after === NOWHERE ? before : after),
    how: before === NOWHERE ? "added" : after === NOWHERE ? "removed" : "changed",
    diff: body.join("\n"),
    added: body.filter((line) => line.startsWith("+")).length,
    removed: body.filter((line) => line.startsWith("-")).length,
  };
}

const plain = (path: string): string => path.replace(/^[ab]\//, "");
