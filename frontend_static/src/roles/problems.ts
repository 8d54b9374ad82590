/** Problems that the server reports about the role's texts, with their positions. */

import { ApiError } from "../api/client";
import { textAt, type Config, type Preview } from "./promptConfig";

export interface Problem {
  /** JSON pointer into the config, or `/name`, `/description` or `/color`. */
  path: string;
  code: string;
  message: string;
  level: string;
  /** Offsets in code points, as the server counts. Both are 0 for the whole text. */
  start: number;
  end: number;
}

const ENVELOPE = "/prompt_config";
const withoutEnvelope = (path: string) =>
  path.startsWith(`${ENVELOPE}/`) ? path.slice(ENVELOPE.length) : path;

/**
 * Names that have no value in this step only. The texts are correct; there is just no ticket in a
 * step without one.
 */
export function namesWithoutValue({ problems, warnings }: Preview): Problem[] {
  const reported = new Set(problems.map((one) => `${one.path} ${one.message}`));
  return warnings.filter((one) => !reported.has(`${one.path} ${one.message}`));
}

/**
 * The problems of a refusal. Warnings from `earlier` are kept for texts that have not changed
 * since.
 */
export function problemsOfRefusal(
  refused: ApiError,
  earlier: readonly Problem[],
  before: Config,
  after: Config,
): Problem[] {
  const details = Array.isArray(refused.body.details) ? (refused.body.details as Problem[]) : [];
  const errors = details.length > 0 ? details : refused.where ? [wholeProblem(refused)] : [];
  const unchanged = earlier.filter(
    (one) => one.level === "warning" && textAt(before, one.path) === textAt(after, one.path),
  );
  return [...errors.map((one) => ({ ...one, path: withoutEnvelope(one.path) })), ...unchanged];
}

function wholeProblem({ where, code, message }: ApiError): Problem {
  return { path: where, code, message, level: "error", start: 0, end: 0 };
}

/** Converts an offset in code points to an editor offset. The editor joins lines with \n. */
export function editorOffset(text: string, points: number): number {
  let at = 0;
  for (let remaining = points; remaining > 0 && at < text.length; remaining -= 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, at).replace(/\r\n?/g, "\n").length;
}

/** The number of errors and warnings at or below a pointer. */
export function countBelow(
  problems: readonly Problem[],
  path: string,
): { errors: number; warnings: number } {
  const here = problems.filter((one) => one.path === path || one.path.startsWith(`${path}/`));
  const errors = here.filter((one) => one.level === "error").length;
  return { errors, warnings: here.length - errors };
}
