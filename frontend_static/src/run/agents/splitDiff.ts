/** Splits a unified diff of several files into one diff per file. Pure. */

export interface ChangedFile {
  path: string;
  how: "added" | "removed" | "changed";
  diff: string;
  added: number;
  removed: number;
}

const NO_FILE = "/dev/null";

export function splitDiff(diff: string): ChangedFile[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const starts = lines.flatMap((line, at) => (isFileHeader(lines, at) && line ? [at] : []));
  return starts.map((from, index) =>
    parseFile(lines.slice(from, starts[index + 1] ?? lines.length)),
  );
}

/** Removed lines may begin with hyphens too, so both header lines and the hunk line are checked. */
function isFileHeader(lines: readonly string[], at: number): boolean {
  const [first = "", second = "", third = "@@"] = lines.slice(at, at + 3);
  return first.startsWith("--- ") && second.startsWith("+++ ") && third.startsWith("@@");
}

function parseFile(lines: readonly string[]): ChangedFile {
  const [before = "", after = ""] = lines
    .slice(0, 2)
    .map((line) => line.slice(4).split("\t", 1)[0] ?? "");
  const body = lines.slice(2);
  return {
    path: withoutPrefix(after === NO_FILE ? before : after),
    how: before === NO_FILE ? "added" : after === NO_FILE ? "removed" : "changed",
    diff: body.join("\n"),
    added: body.filter((line) => line.startsWith("+")).length,
    removed: body.filter((line) => line.startsWith("-")).length,
  };
}

const withoutPrefix = (path: string): string => path.replace(/^[ab]\//, "");
