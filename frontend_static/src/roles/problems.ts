/** What the server says about texts that are being written, each at its place. */

import { ApiError } from "../api/client";
import { textAt, type Config, type Preview } from "./promptConfig";

export interface Problem {
  /** JSON pointer into the config, or `/name` and the like for what stands beside it. */
  path: string;
  code: string;
  message: string;
  level: string;
  /** Characters as the server counts them: code points. Both 0 for the whole text. */
  start: number;
  end: number;
}

const ENVELOPE = "/prompt_config";
const withoutEnvelope = (path: string) =>
  path.startsWith(`${ENVELOPE}/`) ? path.slice(ENVELOPE.length) : path;

/** Names without a value in this step that the texts themselves give no reason to doubt: there may be
 * no ticket where a ticket's task stands in. */
export function namesWithoutValue({ problems, warnings }: Preview): Problem[] {
  const reported = new Set(problems.map((one) => `${one.path} ${one.message}`));
  return warnings.filter((one) => !reported.has(`${one.path} ${one.message}`));
}

/** The errors of a refusal. `earlier`: warnings known of texts that have not changed since stay. */
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

/** A character of a text by its code point → its place in an editor, which joins lines with \n. */
export function editorOffset(text: string, points: number): number {
  let at = 0;
  for (let remaining = points; remaining > 0 && at < text.length; remaining -= 1)
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(0, at).replace(/\r\n?/g, "\n").length;
}

/** Errors and warnings below a pointer. */
export function countBelow(
  problems: readonly Problem[],
  path: string,
): { errors: number; warnings: number } {
  const here = problems.filter((one) => one.path === path || one.path.startsWith(`${path}/`));
  const errors = here.filter((one) => one.level === "error").length;
  return { errors, warnings: here.length - errors };
}
