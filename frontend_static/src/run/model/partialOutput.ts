/** Streamed text: pieces of an answer put where they belong, and an old answer spoken again. */

import { text, type RunEvent } from "./events";

/** One answer so far. `start` counts the characters before `text` that never got here; `begun` tells it from an earlier try. */
export interface PartialOutput {
  startedAt: number;
  missing: number;
  text: string;
}

/** A piece as the server sends it. Without `at` it follows what is there. */
export interface Delta {
  key: string;
  text: string;
  begun?: number;
  at?: number;
}

/** The speech with a piece more; what came before is not said twice, and a gap begins anew. */
export function appendDelta(speech: PartialOutput | undefined, piece: Delta): PartialOutput {
  const begun = piece.begun ?? 0;
  if (!speech || begun > speech.startedAt) return { startedAt: begun, missing: piece.at ?? 0, text: piece.text };
  if (begun < speech.startedAt) return speech;
  const end = speech.missing + speech.text.length;
  const at = piece.at ?? end;
  if (at > end || at < speech.missing) return { startedAt: begun, missing: at, text: piece.text };
  return { ...speech, text: speech.text + piece.text.slice(end - at) };
}

export function partialOutputText(speech: PartialOutput): string {
  return speech.missing > 0 ? `… ${speech.text}` : speech.text;
}

/** An answer of the log, and how long to take over speaking it again. */
export interface RecordedAnswer {
  key: string;
  words: readonly string[];
  milliseconds: number;
}

const MAX_REPLAY_MS = 6000;
const MIN_REPLAY_MS = 300;

/** What was answered to the question that event `n` asked; null where it asked none or heard no words. */
export function recordedAnswer(log: readonly RunEvent[], n: number): RecordedAnswer | null {
  const asked = log[n - 1];
  if (asked?.type !== "model.asked") return null;
  const key = text(asked, "key");
  const reply = log.slice(n).find((event) => event.type === "model.replied" && text(event, "key") === key);
  const said = reply && replyText(reply);
  if (!reply || !said) return null;
  const took = (reply.at - asked.at) * 1000;
  return {
    key,
    words: said.match(/\s*\S+\s*/g) ?? [said],
    milliseconds: Math.min(MAX_REPLAY_MS, Math.max(MIN_REPLAY_MS, took)),
  };
}

/** What has been said of it after so long: words at an even pace, for theirs was not recorded. */
export function textAfter(answer: RecordedAnswer, milliseconds: number): string {
  const share = Math.min(1, Math.max(0, milliseconds / answer.milliseconds));
  return answer.words.slice(0, Math.ceil(share * answer.words.length)).join("");
}

function replyText(reply: RunEvent): string {
  const { structured } = reply;
  return text(reply, "text") || (structured == null ? "" : JSON.stringify(structured));
}
