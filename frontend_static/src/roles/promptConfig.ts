/** The texts of a role, their places in its prompt config, and functions that change them. */

import type { components } from "../api/schema";

type Shapes = components["schemas"];
export type Role = Shapes["AgentRole"];
export type Config = Shapes["PromptConfig"];
export type Variable = Shapes["PromptVariable"];
export type Preview = Shapes["Preview"];
export type Revision = Shapes["RoleRevisionDescription"];

/** The editable part of a role. */
export interface Draft {
  name: string;
  description: string;
  color: string;
  config: Config;
}

export interface TextField {
  /** JSON pointer into the config. */
  path: string;
  title: string;
  group: string;
  about: string;
  /** Left out of the config if blank. */
  optional?: boolean;
  /**
   * The kind of step and trigger for which the text is sent. Without it the text is always sent.
   */
  sentFor?: { kind: string; trigger: string };
}

const AGENT = { kind: "agent", trigger: "ticket" };
const GATE = { kind: "gate", trigger: "ticket" };

export const TEXT_FIELDS: readonly TextField[] = [
  {
    path: "/system_prompt",
    title: "System prompt",
    group: "Prompts",
    about: "The role's identity, for every kind of task. Sent as the system message.",
  },
  {
    path: "/developer_prompt",
    title: "Developer prompt",
    group: "Prompts",
    about:
      "Conventions for every kind of work. Sent as the developer message; a mode's add-on and the memory profile follow it.",
    optional: true,
  },
  {
    path: "/templates/ticket_task",
    title: "Ticket",
    group: "Tasks",
    about: "The user message of an agent step that works on a ticket.",
    sentFor: AGENT,
  },
  {
    path: "/templates/chat_task",
    title: "Chat",
    group: "Tasks",
    about: "The user message when a person chats with the role, and of subtasks of a council.",
    sentFor: { kind: "chat", trigger: "chat" },
  },
  {
    path: "/templates/gate_eval",
    title: "Gate",
    group: "Tasks",
    about: "The user message of a gate, for every trigger of a run.",
    sentFor: GATE,
  },
  {
    path: "/templates/cron_task",
    title: "Schedule",
    group: "Tasks",
    about:
      "The user message of scheduled work. If blank, the ticket's task is used, and the run shows it.",
    optional: true,
    sentFor: { kind: "agent", trigger: "cron" },
  },
  {
    path: "/output_templates/agent_done",
    title: "Work is done",
    group: "Answers",
    about: "The form of the answer to every task except a gate's. It ends the user message.",
    sentFor: AGENT,
  },
  {
    path: "/output_templates/gate_pass",
    title: "Gate passes",
    group: "Answers",
    about:
      "The answer of a gate that passes. If this and the next begin with different words in capitals, that word is the verdict.",
    sentFor: GATE,
  },
  {
    path: "/output_templates/gate_fail",
    title: "Gate fails",
    group: "Answers",
    about: "The answer of a gate that fails.",
    sentFor: GATE,
  },
];

export const textFieldAt = (path: string): TextField | undefined =>
  TEXT_FIELDS.find((one) => one.path === path);

export const LISTS = [
  { name: "core_focus", title: "In every project", about: "Topics of core facts." },
  { name: "project_focus", title: "In one project", about: "Topics of project facts." },
  {
    name: "priority_categories",
    title: "First when recalled",
    about: "Categories, the most wanted first.",
  },
] as const;
export type ListName = (typeof LISTS)[number]["name"];

type Tree = Record<string, unknown>;
const splitPointer = (path: string) => path.slice(1).split("/");

export function textAt(config: Config, path: string): string {
  let at: unknown = config;
  for (const step of splitPointer(path)) at = (at as Tree | undefined)?.[step];
  return typeof at === "string" ? at : "";
}

/** The config with another text at this place. */
export function withText(config: Config, path: string, text: string): Config {
  const omit = text === "" && textFieldAt(path)?.optional;
  const put = (tree: Tree, [first = "", ...rest]: string[]): Tree => {
    if (rest.length > 0) return { ...tree, [first]: put((tree[first] ?? {}) as Tree, rest) };
    if (!omit) return { ...tree, [first]: text };
    const { [first]: _removed, ...others } = tree;
    return others;
  };
  return put(config, splitPointer(path)) as unknown as Config;
}

export const listAt = (config: Config, name: ListName): string[] =>
  config.memory_profile?.[name] ?? [];

export const withList = (config: Config, name: ListName, items: string[]): Config => ({
  ...config,
  memory_profile: { ...config.memory_profile, [name]: items },
});

/** The config without blank list items. */
export function withoutBlankItems(config: Config): Config {
  const blank = (item: unknown) => typeof item === "string" && item.trim() === "";
  const lists = LISTS.filter((list) => listAt(config, list.name).some(blank));
  return lists.reduce(
    (tidied, { name }) =>
      withList(
        tidied,
        name,
        listAt(config, name).filter((item) => !blank(item)),
      ),
    config,
  );
}

export const draftOf = (role: Role): Draft => ({
  name: role.name,
  description: role.description,
  color: role.color,
  config: role.prompt_config,
});

/** Compare two values as JSON, ignoring the order of keys. */
export const jsonEqual = (one: unknown, other: unknown): boolean =>
  canonicalJson(one) === canonicalJson(other);

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A difference between two drafts, as texts. */
export interface Difference {
  title: string;
  before: string;
  after: string;
}

export function differences(before: Draft, after: Draft): Difference[] {
  const both = (title: string, of: (draft: Draft) => string): Difference => ({
    title,
    before: of(before),
    after: of(after),
  });
  return [
    both("Name", (draft) => draft.name),
    both("Description", (draft) => draft.description),
    both("Colour", (draft) => draft.color),
    ...TEXT_FIELDS.map((place) =>
      both(`${place.group}: ${place.title}`, (draft) => textAt(draft.config, place.path)),
    ),
    ...LISTS.map((list) =>
      both(`Memory: ${list.title}`, (draft) => listAt(draft.config, list.name).join("\n")),
    ),
    both("Other keys", (draft) => otherKeys(draft.config)),
  ].filter((one) => one.before !== one.after);
}

/**
 * Unknown keys of the config as JSON; "" if there are none. They are kept although nothing reads
 * them.
 */
function otherKeys(config: Config): string {
  const known = new Set([
    ...TEXT_FIELDS.map((place) => place.path),
    ...LISTS.map((list) => `/memory_profile/${list.name}`),
  ]);
  const lines: string[] = [];
  const walk = (value: unknown, path: string) => {
    if (known.has(path)) return;
    if (
      value &&
      typeof value === "object" &&
      !Array.isArray(value) &&
      splitPointer(path).length < 2
    )
      for (const [key, inner] of Object.entries(value)) walk(inner, `${path}/${key}`);
    else lines.push(`${path}: ${JSON.stringify(value, null, 2)}`);
  };
  for (const [key, value] of Object.entries(config)) walk(value, `/${key}`);
  return lines.join("\n");
}
