/** The ways to answer an open request of a run. */

import type { Json, Pending, Signal } from "../../session";

export interface Answer {
  label: string;
  signal: Signal;
  main?: boolean;
  grave?: boolean;
}

export interface AnswerOptions {
  question: string;
  /** The exact command or call that would run. */
  command: string;
  /** The prompt that the model would receive, for a user who answers in its place. */
  prompt: string;
  choices: Answer[];
  /** True if an answer can be written; `schema` is its JSON Schema. */
  form: boolean;
  schema: Json | undefined;
  /** The call to approve. It may be approved with other arguments. */
  call: { name: string; arguments: Json } | null;
  /** Fields for an answer of texts and choices, in place of JSON. */
  fields: readonly AnswerField[] | null;
}

export interface AnswerField {
  name: string;
  title: string;
  options: readonly string[] | null;
}

type Call = { name?: string; arguments?: Json };

interface Choice {
  label: string;
  transition?: string;
  reply: Pick<Signal, "structured" | "tool_calls" | "text">;
}

export function answerOptions(pending: Pending): AnswerOptions {
  const { key } = pending;
  const choices = (Array.isArray(pending.choices) ? pending.choices : []) as unknown as Choice[];
  const none: AnswerOptions = {
    question: "",
    command: "",
    prompt: "",
    choices: [],
    form: false,
    schema: undefined,
    call: null,
    fields: null,
  };
  switch (pending.effect) {
    case "AskModel":
      return {
        ...none,
        choices: choices.map((one) => ({
          label: one.label,
          signal: { type: "Reply", key, ...completeReply(pending, one) },
        })),
        prompt: promptOf(pending),
        form: true,
        schema: pending.schema ?? answerToolSchema(pending),
      };
    case "RunCommand":
      return {
        ...none,
        question: stringOrEmpty(pending.why),
        command: shellQuoted(pending.command),
        choices: yesOrNo(key),
      };
    case "CallTool":
      return {
        ...none,
        question: `Call the tool ${stringOrEmpty(pending.name)}?`,
        command: JSON.stringify(pending.arguments, null, 2),
        form: true,
      };
    case "AskHuman":
      return askHumanOptions(pending, choices, none);
    default:
      return none;
  }
}

function askHumanOptions(pending: Pending, choices: Choice[], none: AnswerOptions): AnswerOptions {
  const { key } = pending;
  const question = stringOrEmpty(pending.question);
  if (pending.kind === "approve") {
    const call = callOfEffect(pending.call);
    return {
      ...none,
      question,
      command: call ? `${call.name} ${JSON.stringify(call.arguments, null, 2)}` : "",
      choices: yesOrNo(key),
      call,
    };
  }
  const events = choices.map<Answer>((one) => ({
    label: one.label,
    signal: { type: "Approve", key, event: one.label },
  }));
  if (pending.kind === "event") return { ...none, question, choices: events };
  const fields = pending.schema ? fieldsOf(pending.schema, choices) : null;
  return {
    ...none,
    question,
    choices: events,
    form: true,
    schema: pending.schema ?? undefined,
    fields,
  };
}

function promptOf(pending: Pending): string {
  const turns = (Array.isArray(pending.messages) ? pending.messages : []) as {
    role?: string;
    text?: string;
  }[];
  return [stringOrEmpty(pending.system), ...turns.map((turn) => `${turn.role}: ${turn.text}`)]
    .filter(Boolean)
    .join("\n\n");
}

function yesOrNo(key: string): Answer[] {
  return [
    { label: "Approve", main: true, signal: { type: "Approve", key, approve: true } },
    { label: "Refuse", grave: true, signal: { type: "Approve", key, approve: false } },
  ];
}

const stringOrEmpty = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const UNQUOTED_WORD = /^[\w@%+=:,./-]+$/;

/** A command with shell quoting, which shows where each argument begins and ends. */
function shellQuoted(value: Json | undefined): string {
  if (!Array.isArray(value)) return stringOrEmpty(value);
  return value
    .map(String)
    .map((word) => (UNQUOTED_WORD.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`))
    .join(" ");
}

function callOfEffect(call: Json | undefined): AnswerOptions["call"] {
  if (call === undefined || call === null || !isMap(call)) return null;
  return { name: stringOrEmpty(call.name), arguments: call.arguments ?? {} };
}

/** The properties that no choice sets, if all are texts or choices; else null. */
function fieldsOf(schema: Json, choices: readonly Choice[]): readonly AnswerField[] | null {
  if (!isMap(schema) || schema.required !== undefined || !isMap(schema.properties ?? null))
    return null;
  const set = new Set(
    choices.flatMap((one) =>
      isMap(one.reply.structured ?? null) ? Object.keys(one.reply.structured as object) : [],
    ),
  );
  const open = Object.entries(schema.properties as { [key: string]: Json }).filter(
    ([name]) => !set.has(name),
  );
  const fields = open.map(([name, property]) => fieldOf(name, property));
  return fields.length > 0 && fields.every((field) => field !== null) ? fields : null;
}

function fieldOf(name: string, property: Json): AnswerField | null {
  if (!isMap(property)) return null;
  const title = stringOrEmpty(property.title) || name;
  if (Array.isArray(property.enum)) return { name, title, options: property.enum.map(String) };
  return property.type === "string" ? { name, title, options: null } : null;
}

/** The parameters of the tool whose call is the answer, if the answer is a call. */
function answerToolSchema(pending: Pending): Json | undefined {
  const tools = (Array.isArray(pending.tools) ? pending.tools : []) as {
    name?: string;
    parameters?: Json;
  }[];
  return pending.answer_tool
    ? tools.find((tool) => tool.name === pending.answer_tool)?.parameters
    : undefined;
}

const callOf = (choice: Choice | undefined): Call | undefined => choice?.reply.tool_calls?.[0];

/** A choice sets only what decides the transition. The rest is filled with minimal values. */
function completeReply(pending: Pending, choice: Choice): Choice["reply"] {
  const schema = answerToolSchema(pending);
  const call = callOf(choice);
  if (schema === undefined || call?.name !== pending.answer_tool) return choice.reply;
  return { structured: mergeJson(minimalValue(schema), call?.arguments) };
}

/** The initial text of a written answer: minimal values that take the first transition. */
export function initialAnswer(pending: Pending, schema: Json): Json {
  const choices = (Array.isArray(pending.choices) ? pending.choices : []) as unknown as Choice[];
  return mergeJson(
    minimalValue(schema),
    choices[0]?.reply.structured ?? callOf(choices[0])?.arguments,
  );
}

function mergeJson(under: Json, over: Json | undefined): Json {
  if (over === undefined || over === null) return under;
  if (!isMap(under) || !isMap(over)) return over;
  const both = Object.entries(over).map(
    ([name, value]) => [name, mergeJson(under[name] ?? null, value)] as const,
  );
  return { ...under, ...Object.fromEntries(both) };
}

const isMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The minimal value that a schema allows: all required properties, the first value of each enum.
 */
export function minimalValue(schema: Json, depth = 0): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || depth > 8)
    return null;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const options = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(options)) return minimalValue(options[0] ?? null, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return "…".repeat(typeof schema.minLength === "number" ? schema.minLength : 0);
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    case "array":
      return typeof schema.minItems === "number" && schema.minItems > 0
        ? [minimalValue(schema.items ?? null, depth + 1)]
        : [];
    case "null":
      return null;
    default:
      return minimalObject(schema, depth);
  }
}

function minimalObject(schema: { [key: string]: Json }, depth: number): Json {
  const properties = schema.properties;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return {};
  const required = Array.isArray(schema.required)
    ? schema.required.map(String)
    : Object.keys(properties);
  const filled = required.map(
    (name) => [name, minimalValue(properties[name] ?? null, depth + 1)] as const,
  );
  return Object.fromEntries(filled);
}
