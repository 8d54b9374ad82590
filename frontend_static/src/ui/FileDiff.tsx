import { Pre } from "./Pre";

/** A unified diff of one file with coloured lines. */

export function FileDiff({ path, diff }: { path: string; diff: string }) {
  if (!diff) return null;
  const lines = diff
    .replace(/\n$/, "")
    .split("\n")
    .filter((line) => !/^(---|\+\+\+) /.test(line));
  return (
    <details className="file-diff" open>
      <summary className="mono" translate="no">
        {path}
      </summary>
      <Pre tabIndex={0} aria-label={`Difference in ${path}`}>
        {lines.map((line, index) => (
          <span key={index} className={lineClass(line)}>
            {line || " "}
            {"\n"}
          </span>
        ))}
      </Pre>
    </details>
  );
}

function lineClass(line: string): string {
  if (line.startsWith("@@")) return "diff-line hunk";
  if (line.startsWith("+")) return "diff-line added";
  return line.startsWith("-") ? "diff-line removed" : "diff-line";
}
