/** The prompts of a run as turns, each linked to the previous prompt of the same state. */

import { fingerprint, modelCalls, type ModelCall } from "../inspector/modelCalls";
import { text, type RunEvent } from "../model/events";

export interface PromptTurn {
  event: RunEvent;
  /** The turn number of the event, or else the count of this state's prompts, from 1. */
  number: number;
  /** The previous turn at the same position, or else of the same state at any position. */
  before: PromptTurn | null;
  /** Number of times in a row that this text was sent, from 1. */
  times: number;
}

/**
 * All prompts in the log, in order. A prompt is the same as the last one if all that was sent with
 * it is the same: messages, tools and settings too.
 */
export function promptTurns(log: readonly RunEvent[]): PromptTurn[] {
  const newest = new Map<string, PromptTurn>();
  const counts = new Map<string, number>();
  const calls = new Map(
    modelCalls(log).flatMap((call) => (call.prompt ? [[call.prompt, call] as const] : [])),
  );
  return log
    .filter((event) => event.type === "prompt.logged")
    .map((event) => {
      const state = text(event, "state");
      const here = `${text(event, "position")} ${state}`;
      const before = newest.get(here) ?? newest.get(` ${state}`) ?? null;
      const number = typeof event.turn === "number" ? event.turn : (counts.get(state) ?? 0) + 1;
      const times = before && samePrompt(before.event, event, calls) ? before.times + 1 : 1;
      const turn = { event, number, before, times };
      counts.set(state, number);
      newest.set(here, turn).set(` ${state}`, turn);
      return turn;
    });
}

function samePrompt(before: RunEvent, event: RunEvent, calls: Map<RunEvent, ModelCall>): boolean {
  const [then, now] = [calls.get(before), calls.get(event)];
  if (then && now) return fingerprint(then) === fingerprint(now);
  return sameText(before, event);
}

function sameText(before: RunEvent, event: RunEvent): boolean {
  const hash = text(event, "hash");
  return hash ? hash === text(before, "hash") : text(event, "text") === text(before, "text");
}

export interface PromptPart {
  title: string;
  text: string;
  /** The same part in the previous turn; null if there is none. */
  before: string | null;
  /** SHA-256, or "" if the event has none. */
  hash: string;
  /** True if the part was sent in this turn. Otherwise the model's session still had it. */
  sent: boolean;
}

const BLOCKS: readonly (readonly [string, string])[] = [
  ["system", "System context"],
  ["role", "Role template"],
  ["mode", "Mode preamble"],
  ["task", "Task payload"],
  ["override", "Override"],
];

/** Blocks that are sent only when a session starts. */
const HEADER: ReadonlySet<string> = new Set(["system", "role"]);

/** The blocks of a prompt, including empty ones, or the whole text as one part. */
export function promptParts({ event, before }: PromptTurn): PromptPart[] {
  return partsOfPromptFields(event, before?.event ?? null);
}

/** The parts of any object with the fields of `prompt.logged`. */
export function partsOfPromptFields(prompt: object, before: object | null = null): PromptPart[] {
  const [current, previous] = [prompt as Fields, before as Fields | null];
  const blocks = textsOrNull(current.blocks);
  const old = previous && textsOrNull(previous.blocks);
  if (!blocks || (previous && !old))
    return [
      {
        title: "",
        text: stringOrEmpty(current.text),
        before: previous && stringOrEmpty(previous.text),
        hash: stringOrEmpty(current.hash),
        sent: true,
      },
    ];
  const hashes = textsOrNull(current.block_hashes) ?? {};
  return BLOCKS.map(([name, title]) => ({
    title,
    text: blocks[name] ?? "",
    before: old && (old[name] ?? ""),
    hash: hashes[name] ?? "",
    sent: current.kind !== "delta" || !HEADER.has(name),
  }));
}

type Fields = Readonly<Record<string, unknown>>;

const stringOrEmpty = (value: unknown): string => (typeof value === "string" ? value : "");

function textsOrNull(value: unknown): Record<string, string> | null {
  return typeof value === "object" && value !== null ? (value as Record<string, string>) : null;
}

const ORDINALS = [
  "",
  "",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
];

/** For example "the same prompt for the third time"; "" for a new prompt. */
export function repetitionText(times: number): string {
  return times > 1 ? `the same prompt for the ${ORDINALS[times] ?? `${times}th`} time` : "";
}

/** Event number → repetition text, for each prompt that was sent before word for word. */
export function repeatedPrompts(log: readonly RunEvent[]): ReadonlyMap<number, string> {
  return new Map(
    promptTurns(log).flatMap((turn) =>
      turn.times > 1 ? [[turn.event.n, repetitionText(turn.times)]] : [],
    ),
  );
}
