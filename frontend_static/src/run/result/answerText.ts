/** The answer of a run as text. Pure. */

import type { RunResult } from "../../session";

type Answer = Pick<RunResult, "answer">;

/** Values are shown as indented JSON. */
export function answerText({ answer }: Answer): string {
  const value = valueOf(answer);
  return value === null ? answer : JSON.stringify(value, null, 2);
}

const MAX_DEPTH = 4;

/**
 * The answer for one line. The fields of a value are listed by name: `decision: approve · notes: …`.
 * Lists of runs have the same line (`answer_line` of the server).
 */
export function answerLine({ answer }: Answer): string {
  const value = valueOf(answer);
  return value === null ? answer : fieldsText(value, MAX_DEPTH);
}

/** An object or a list that the answer is as JSON; null for any other answer. */
function valueOf(answer: string): object | null {
  if (!/^[[{]/.test(answer)) return null;
  try {
    return JSON.parse(answer) as object;
  } catch {
    return null;
  }
}

function fieldsText(value: unknown, depth: number): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "object") return String(value);
  if (depth === 0) return "…";
  if (Array.isArray(value)) return value.map((item) => fieldsText(item, depth - 1)).join(", ");
  return Object.entries(value)
    .map(([name, field]) => `${name}: ${fieldsText(field, depth - 1)}`)
    .join(" · ");
}
