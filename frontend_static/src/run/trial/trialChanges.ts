/** A recorded model call as fields to edit, and the request of a trial from them. Pure. */

import type { NewTrial } from "../../session";

export interface TrialMessage {
  role: string;
  text: string;
}

/** The fields of a trial. Numbers are text, as typed; "" leaves the parameter out. */
export interface TrialFields {
  system: string;
  developer: string;
  messages: readonly TrialMessage[];
  temperature: string;
  maxTokens: string;
  connection: string;
  model: string;
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
const words = (value: unknown): string => (typeof value === "string" ? value : "");
const digits = (value: unknown): string => (typeof value === "number" ? String(value) : "");

/** The fields of a recorded call, from the `effect` of its `model.asked` event. */
export function recordedFields(effect: unknown): TrialFields {
  const { system, developer, messages, parameters } = record(effect);
  const { temperature, max_tokens: maxTokens } = record(parameters);
  return {
    system: words(system),
    developer: words(developer),
    messages: (Array.isArray(messages) ? messages : []).map((turn) => ({
      role: words(record(turn).role),
      text: words(record(turn).text),
    })),
    temperature: digits(temperature),
    maxTokens: digits(maxTokens),
    connection: "",
    model: "",
  };
}

/** The request of a trial: only what differs from the recorded call. A text is the problem. */
export function trialBody(at: number, was: TrialFields, now: TrialFields): NewTrial | string {
  const parameters: Record<string, number | null> = {};
  for (const [field, name, title] of [
    ["temperature", "temperature", "The temperature"],
    ["maxTokens", "max_tokens", "The limit of tokens"],
  ] as const) {
    if (now[field].trim() === was[field]) continue;
    const value = now[field].trim() === "" ? null : Number(now[field]);
    if (Number.isNaN(value)) return `${title} must be a number.`;
    parameters[name] = value;
  }
  const texts = Object.fromEntries(
    now.messages.flatMap(({ text }, position) =>
      text === was.messages[position]?.text ? [] : [[String(position), text]],
    ),
  );
  return {
    at,
    ...(now.system === was.system ? {} : { system: now.system }),
    ...(now.developer === was.developer ? {} : { developer: now.developer }),
    ...(Object.keys(texts).length > 0 ? { texts } : {}),
    ...(Object.keys(parameters).length > 0 ? { parameters } : {}),
    ...(now.connection ? { connection: now.connection } : {}),
    ...(now.model.trim() ? { model: now.model.trim() } : {}),
  };
}

/** The number of changes in a request. */
export const changeCount = ({ texts = {}, parameters = {}, ...rest }: NewTrial): number =>
  Object.keys(rest).length - 1 + Object.keys(texts).length + Object.keys(parameters).length;
