/** The prompts of a run as turns: each with the one that the same state was sent before. */

import { text, type RunEvent } from "../model/events";

export interface PromptTurn {
  event: RunEvent;
  /** As the event says, else the prompts of this state counted from 1. */
  number: number;
  /** The turn before: at the same position where there was one, else wherever the state was. */
  before: PromptTurn | null;
  /** How often in a row this very text was sent, from 1. */
  times: number;
}

/** Every prompt in the log, in order. */
export function promptTurns(log: readonly RunEvent[]): PromptTurn[] {
  const newest = new Map<string, PromptTurn>();
  const counts = new Map<string, number>();
  return log
    .filter((event) => event.type === "prompt.logged")
    .map((event) => {
      const state = text(event, "state");
      const here = `${text(event, "position")} ${state}`;
      const before = newest.get(here) ?? newest.get(` ${state}`) ?? null;
      const number = typeof event.turn === "number" ? event.turn : (counts.get(state) ?? 0) + 1;
      const times = before && sameText(before.event, event) ? before.times + 1 : 1;
      const turn = { event, number, before, times };
      counts.set(state, number);
      newest.set(here, turn).set(` ${state}`, turn);
      return turn;
    });
}

function sameText(before: RunEvent, event: RunEvent): boolean {
  const hash = text(event, "hash");
  return hash ? hash === text(before, "hash") : text(event, "text") === text(before, "text");
}

export interface PromptPart {
  title: string;
  text: string;
  /** The same part of the turn before; null where there is none. */
  before: string | null;
  /** SHA-256, "" where nobody noted one. */
  hash: string;
  /** Whether it went over the wire in this turn; the session knew it otherwise. */
  sent: boolean;
}

const BLOCKS: readonly (readonly [string, string])[] = [
  ["system", "System context"],
  ["role", "Role template"],
  ["mode", "Mode preamble"],
  ["task", "Task payload"],
  ["override", "Override"],
];

/** The blocks that are sent again only when a session begins. */
const HEADER: ReadonlySet<string> = new Set(["system", "role"]);

/** What a prompt is made of: its blocks where it has such, blank ones too, else the whole. */
export function promptParts({ event, before }: PromptTurn): PromptPart[] {
  return partsOfPromptFields(event, before?.event ?? null);
}

/** The same for anything that has the fields of `prompt.logged`. */
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

/** "the same prompt for the third time", "" for one that is new. */
export function repetitionText(times: number): string {
  return times > 1 ? `the same prompt for the ${ORDINALS[times] ?? `${times}th`} time` : "";
}

/** By the number of its event: what to say of a prompt that was sent before, word for word. */
export function repeatedPrompts(log: readonly RunEvent[]): ReadonlyMap<number, string> {
  return new Map(
    promptTurns(log).flatMap((turn) =>
      turn.times > 1 ? [[turn.event.n, repetitionText(turn.times)]] : [],
    ),
  );
}
