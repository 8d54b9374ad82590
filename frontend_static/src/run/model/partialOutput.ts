/** Streamed text: pieces of an answer put where they belong, and an old answer spoken again. */

import { text, type RunEvent } from "./events";

/** One answer so far. `start` counts the characters before `text` that never got here; `begun` tells it from an earlier try. */
export interface Speech {
  begun: number;
  start: number;
  text: string;
}

/** A piece as the server sends it. Without `at` it follows what is there. */
export interface Piece {
  key: string;
  text: string;
  begun?: number;
  at?: number;
}

/** The speech with a piece more; what came before is not said twice, and a gap begins anew. */
export function heard(speech: Speech | undefined, piece: Piece): Speech {
  const begun = piece.begun ?? 0;
  if (!speech || begun > speech.begun) return { begun, start: piece.at ?? 0, text: piece.text };
  if (begun < speech.begun) return speech;
  const end = speech.start + speech.text.length;
  const at = piece.at ?? end;
  if (at > end || at < speech.start) return { begun, start: at, text: piece.text };
  return { ...speech, text: speech.text + piece.text.slice(end - at) };
}

export function shownSpeech(speech: Speech): string {
  return speech.start > 0 ? `… ${speech.text}` : speech.text;
}

/** An answer of the log, and how long to take over speaking it again. */
export interface Answer {
  key: string;
  words: readonly string[];
  milliseconds: number;
}

const LONGEST_MS = 6000;
const SHORTEST_MS = 300;

/** What was answered to the question that event `n` asked; null where it asked none or heard no words. */
export function answerTo(log: readonly RunEvent[], n: number): Answer | null {
  const asked = log[n - 1];
  if (asked?.type !== "model.asked") return null;
  const key = text(asked, "key");
  const reply = log.slice(n).find((event) => event.type === "model.replied" && text(event, "key") === key);
  const said = reply && wordsOf(reply);
  if (!reply || !said) return null;
  const took = (reply.at - asked.at) * 1000;
  return {
    key,
    words: said.match(/\s*\S+\s*/g) ?? [said],
    milliseconds: Math.min(LONGEST_MS, Math.max(SHORTEST_MS, took)),
  };
}

/** What has been said of it after so long: words at an even pace, for theirs was not recorded. */
export function saidAfter(answer: Answer, milliseconds: number): string {
  const share = Math.min(1, Math.max(0, milliseconds / answer.milliseconds));
  return answer.words.slice(0, Math.ceil(share * answer.words.length)).join("");
}

function wordsOf(reply: RunEvent): string {
  const { structured } = reply;
  return text(reply, "text") || (structured == null ? "" : JSON.stringify(structured));
}
