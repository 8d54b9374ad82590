/** The answer of a run as text. Pure. */

import type { RunResult } from "../../session";

type Answer = Pick<RunResult, "answer" | "structured">;

/** Values are shown as indented JSON. */
export function answerText({ answer, structured }: Answer): string {
  return isValue(answer, structured) ? JSON.stringify(structured, null, 2) : answer;
}

/**
 * The answer for one line. The fields of a value are listed by name: `decision: approve · notes: …`.
 * Lists of runs have the same line (`answer_line` of the server).
 */
export function answerLine({ answer, structured }: Answer): string {
  return isValue(answer, structured) ? fieldsText(structured, MAX_DEPTH) : answer;
}

function isValue(answer: string, structured: unknown): structured is object {
  return typeof structured === "object" && structured !== null && /^[[{]/.test(answer);
}

const MAX_DEPTH = 4;

function fieldsText(value: unknown, depth: number): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "object") return String(value);
  if (depth === 0) return "…";
  if (Array.isArray(value)) return value.map((item) => fieldsText(item, depth - 1)).join(", ");
  return Object.entries(value)
    .map(([name, field]) => `${name}: ${fieldsText(field, depth - 1)}`)
    .join(" · ");
}
