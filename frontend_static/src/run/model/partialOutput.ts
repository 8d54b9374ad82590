/** Partial output: streamed text assembled from deltas, and the replay of recorded answers. */

import { text, type RunEvent } from "./events";

/**
 * One answer so far. `missing` counts the characters before `text` that were never received;
 * `startedAt` distinguishes attempts.
 */
export interface PartialOutput {
  startedAt: number;
  missing: number;
  text: string;
}

/** A delta as the server sends it. */
export interface Delta {
  key: string;
  text: string;
  begun: number;
  at: number;
}

/** The output with one more delta. Overlaps are not repeated, and a gap restarts the text. */
export function appendDelta(output: PartialOutput | undefined, delta: Delta): PartialOutput {
  const { at, begun: startedAt } = delta;
  if (!output || startedAt > output.startedAt) return { startedAt, missing: at, text: delta.text };
  if (startedAt < output.startedAt) return output;
  const end = output.missing + output.text.length;
  if (at > end || at < output.missing) return { startedAt, missing: at, text: delta.text };
  return { ...output, text: output.text + delta.text.slice(end - at) };
}

export function partialOutputText(speech: PartialOutput): string {
  return speech.missing > 0 ? `… ${speech.text}` : speech.text;
}

/** A recorded answer and the duration of its replay. */
export interface RecordedAnswer {
  key: string;
  words: readonly string[];
  milliseconds: number;
}

const MAX_REPLAY_MS = 6000;
const MIN_REPLAY_MS = 300;

/**
 * The answer to the request of event `n`; null if the event is not a request or the answer has no
 * text.
 */
export function recordedAnswer(log: readonly RunEvent[], n: number): RecordedAnswer | null {
  const question = log[n - 1];
  if (question?.type !== "model.asked") return null;
  const key = text(question, "key");
  const reply = log
    .slice(n)
    .find((event) => event.type === "model.replied" && text(event, "key") === key);
  const words = reply && replyText(reply);
  if (!reply || !words) return null;
  const duration = (reply.at - question.at) * 1000;
  return {
    key,
    words: words.match(/\s*\S+\s*/g) ?? [words],
    milliseconds: Math.min(MAX_REPLAY_MS, Math.max(MIN_REPLAY_MS, duration)),
  };
}

/**
 * The text of a replay after this time. Words appear at an even pace because their real pace is not
 * recorded.
 */
export function textAfter(answer: RecordedAnswer, milliseconds: number): string {
  const share = Math.min(1, Math.max(0, milliseconds / answer.milliseconds));
  return answer.words.slice(0, Math.ceil(share * answer.words.length)).join("");
}

function replyText(reply: RunEvent): string {
  const { structured } = reply;
  return text(reply, "text") || (structured == null ? "" : JSON.stringify(structured));
}
