/** The ways to answer an open request of a run. */

import type { Json, Pending, Signal } from "../../session";
import { draftOf, type Draft } from "./draft";
import { isMap, mergeJson, minimalValue } from "./schemaValues";

export interface Answer {
  label: string;
  signal: Signal;
  /** The answer has texts that a person must write first: `signal` without them. */
  draft?: Draft;
  main?: boolean;
}

export interface AnswerOptions {
  question: string;
  /** The reason why nothing on the server performs it. */
  blockedReason: string;
  /** The exact command or call that would run. */
  command: string;
  /** The prompt that the model would receive, for a user who answers in its place. */
  prompt: string;
  choices: Answer[];
  /** True if an answer can be written; `schema` is its JSON Schema. */
  form: boolean;
  /** The word for a yes that can have a message; "" if the text is the answer. */
  message: string;
  schema: Json | undefined;
  /** The call to approve. It may be approved with other arguments. */
  call: { name: string; arguments: Json } | null;
  /** Fields for an answer of texts and choices, in place of JSON. */
  fields: readonly AnswerField[] | null;
  /** The word for a denial, which may have a reason; "" if the question cannot be denied. */
  deny: string;
  /** True if a person reports the result of a command. */
  report: boolean;
  /** Tools that an answer for a model can call. */
  tools: readonly Tool[];
}

export interface Tool {
  name: string;
  parameters: Json;
}

export interface AnswerField {
  name: string;
  title: string;
  options: readonly string[] | null;
}

export type Call = { name?: string; arguments?: Json };

export interface Choice {
  label: string;
  transition?: string;
  reply: Pick<Signal, "structured" | "tool_calls" | "text">;
}

export function answerOptions(pending: Pending): AnswerOptions {
  const { key } = pending;
  const choices = (Array.isArray(pending.choices) ? pending.choices : []) as unknown as Choice[];
  const none: AnswerOptions = {
    question: "",
    blockedReason: stringOrEmpty(pending.blocked_reason),
    command: "",
    prompt: "",
    choices: [],
    form: false,
    message: "",
    schema: undefined,
    call: null,
    fields: null,
    deny: "",
    report: false,
    tools: [],
  };
  switch (pending.effect) {
    case "AskModel":
      return {
        ...none,
        choices: choices.map((one) => {
          const draft = draftOf(
            one,
            pending.schema ?? undefined,
            toolsOf(pending),
            pending.answer_tool,
          );
          const signal: Signal = { type: "Reply", key, ...completeReply(pending, one) };
          return { label: one.label, signal, ...(draft && { draft }) };
        }),
        prompt: promptOf(pending),
        deny: "Deny",
        form: true,
        schema: pending.schema ?? answerToolSchema(pending),
        tools: toolsOf(pending).filter((tool) => tool.name !== pending.answer_tool),
      };
    case "RunCommand":
      return {
        ...none,
        question: stringOrEmpty(pending.why),
        command: shellQuoted(pending.command),
        choices: perform(pending, "Run it now"),
        deny: "Deny",
        report: true,
      };
    case "CallTool":
      return {
        ...none,
        question: `The run calls the tool ${stringOrEmpty(pending.name)}.`,
        command: JSON.stringify(pending.arguments, null, 2),
        choices: [
          ...perform(pending, "Call it once"),
          ...forTheRest(pending.can_allow === true, key),
        ],
        deny: "Deny",
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
    const [yes, no] = choices.length === 2 ? choices.map((one) => one.label) : [];
    return {
      ...none,
      question,
      command: call ? `${call.name} ${JSON.stringify(call.arguments, null, 2)}` : "",
      choices: yes ? [] : [approve(key, "Approve"), ...forTheRest(call !== null, key)],
      deny: no ?? "Deny",
      form: yes !== undefined,
      message: yes ?? "",
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

/** A command or call is performed only where the server can. */
const perform = (pending: Pending, label: string): Answer[] =>
  pending.can_allow === true ? [approve(pending.key, label)] : [];

const approve = (key: string, label: string): Answer => ({
  label,
  main: true,
  signal: { type: "Approve", key, approve: true },
});

/** The approval of this call and of all further ones of its tool. */
const forTheRest = (possible: boolean, key: string): Answer[] =>
  possible
    ? [
        {
          label: "For the rest of this run",
          signal: { type: "Approve", key, approve: true, rest: true },
        },
      ]
    : [];

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
export function answerToolSchema(pending: Pending): Json | undefined {
  return pending.answer_tool
    ? toolsOf(pending).find((tool) => tool.name === pending.answer_tool)?.parameters
    : undefined;
}

export function toolsOf(pending: Pending): Tool[] {
  const tools = Array.isArray(pending.tools) ? pending.tools : [];
  return tools.filter(isMap).map((tool) => ({
    name: stringOrEmpty(tool.name),
    parameters: tool.parameters ?? {},
  }));
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
