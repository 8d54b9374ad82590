/**
 * Texts from elsewhere that are pasted or dropped on the canvas: states of the pack's format, a
 * pack, or prose.
 */

import type { Json } from "../api";

export interface PastedText {
  /** The states in the text, for a `paste` edit; null without states of this format. */
  fragment: Json | null;
  /** The ids of these states. */
  states: string[];
  /** The text is an object that may be a pack of its own. */
  isPack: boolean;
  /** The text is no object, so that it can be a prompt. */
  isProse: boolean;
}

type Table = Record<string, Json>;

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const tableOf = (value: unknown): Table => (isTable(value) ? value : {});
/** Only members that are objects: the others are no states. */
const objectsOf = (value: unknown): Table =>
  Object.fromEntries(Object.entries(tableOf(value)).filter(([, one]) => isTable(one)));

type Reader = (value: Table | null, text: string) => Json | null;

/** By dialect: the fragment of a whole pack, of an object of states, or of one part. */
const READERS: Record<string, Reader> = {
  promptpack(value) {
    if (!value) return null;
    const states = objectsOf(tableOf(value.workflow).states ?? value.states);
    const prompts = objectsOf(value.prompts);
    if (!Object.keys(states).length && !Object.keys(prompts).length) return null;
    const shared = ["tools", "fragments", "compositions"].map((key) => [key, tableOf(value[key])]);
    return { dialect: "promptpack", states, prompts, ...Object.fromEntries(shared) };
  },
  steps_registry(value) {
    if (!value) return null;
    const one = typeof value.stepId === "string" ? { [value.stepId]: value } : null;
    const steps = Object.entries(one ?? objectsOf(value.steps));
    if (!steps.length) return null;
    const isNew = steps.some(([, step]) => isTable(step) && ("kind" in step || "address" in step));
    const items = steps.map(([id, step]) => ({ id, step }));
    return { dialect: "steps_registry", generation: isNew ? "B" : "A", steps: items };
  },
  stages(value, text) {
    if (value) return null;
    const id = STAGE_ID.exec(FRONT_MATTER.exec(text)?.[1] ?? "")?.[1];
    return id ? { dialect: "stages", stages: { [id]: { entry: {}, file: text } } } : null;
  },
};

const FRONT_MATTER = /^---\r?\n([^]*?)\r?\n---/;
const STAGE_ID = /^id:[ \t]*["']?([\w-]+)/m;

/** The ids of a fragment's states. */
export function fragmentStates(fragment: Json): string[] {
  const { states, stages, steps, prompts } = tableOf(fragment);
  if (Array.isArray(steps)) return steps.flatMap((one) => idOf(one));
  for (const table of [states, stages, prompts])
    if (isTable(table) && Object.keys(table).length) return Object.keys(table);
  return [];
}

const idOf = (item: Json): string[] =>
  isTable(item) && typeof item.id === "string" ? [item.id] : [];

export function readPasted(dialect: string, text: string): PastedText {
  const value = parsed(text) ?? parsed(`{${text.trim().replace(/,$/, "")}}`);
  const fragment = READERS[dialect]?.(value, text) ?? null;
  return {
    fragment,
    states: fragment === null ? [] : fragmentStates(fragment),
    isPack: value !== null && Object.keys(value).length > 1,
    isProse: value === null && text.trim() !== "",
  };
}

function parsed(text: string): Table | null {
  try {
    const value: unknown = JSON.parse(text);
    return isTable(value) && Object.keys(value).length ? value : null;
  } catch {
    return null;
  }
}
