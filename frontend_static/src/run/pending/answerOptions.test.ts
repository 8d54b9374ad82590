import { describe, expect, test } from "vitest";
import type { Json, Pending } from "../../session";
import { answerOptions, initialAnswer } from "./answerOptions";
import { minimalValue } from "./schemaValues";

const HERE = { position: "0", state: "a" };

describe("answer options", () => {
  test("for the model: one choice per transition, or a written answer", () => {
    const options = answerOptions({
      ...HERE,
      key: "0:1",
      effect: "AskModel",
      system: "Be kind.",
      messages: [{ role: "user", text: "Begin." }],
      schema: { type: "object" },
      choices: [
        { label: "Solved", transition: "a|Solved|b", reply: { structured: { intent: "Solved" } } },
      ],
    });
    expect(options.choices.map((one) => [one.label, one.signal])).toEqual([
      ["Solved", { type: "Reply", key: "0:1", structured: { intent: "Solved" } }],
    ]);
    expect([options.form, options.prompt]).toEqual([true, "Be kind.\n\nuser: Begin."]);
  });

  test("for a model that answers with a call: the schema is the tool's, and a choice is completed", () => {
    const parameters = {
      type: "object",
      required: ["approved", "feedback"],
      properties: { approved: { type: "boolean" }, feedback: { type: "string", minLength: 2 } },
    };
    const call = { name: "submit", arguments: { approved: true } };
    const pending = {
      ...HERE,
      key: "0:1",
      effect: "AskModel",
      answer_tool: "submit",
      tools: [
        { name: "read", parameters: {} },
        { name: "submit", parameters },
      ],
      choices: [
        { label: "approved", transition: "a|approved|b", reply: { tool_calls: [call] } },
        { label: "cap", transition: "a|cap|c", reply: { text: "Hm." } },
      ] as Json,
    };
    const options = answerOptions(pending);
    const complete = { approved: true, feedback: "" };
    expect(options.choices.map((one) => one.draft ?? one.signal)).toEqual([
      { kind: "structured", value: complete, texts: ["feedback"] },
      { type: "Reply", key: "0:1", text: "Hm." },
    ]);
    expect([options.schema, initialAnswer(pending, parameters)]).toEqual([parameters, complete]);
  });

  const command = { ...HERE, key: "k", effect: "RunCommand", command: ["make", "test all"] };

  test("for an agent that makes no progress: to continue with a message, or stop", () => {
    const choices = [{ label: "Continue" }, { label: "Stop" }] as unknown as Json;
    const asked = { effect: "AskHuman", kind: "approve", key: "0:3", question: "Continue?" };
    const options = answerOptions({ ...asked, choices } as unknown as Pending);
    expect(options.choices).toEqual([]); // One button, so that no written message is left behind.
    expect([options.deny, options.form, options.message]).toEqual(["Stop", true, "Continue"]);
    expect(options.call).toBeNull();
  });

  test("for a command that may run: its exact text, to run or deny", () => {
    const options = answerOptions({
      ...command,
      why: "check",
      blocked_reason: "No commands.",
      can_allow: true,
    });
    expect([options.command, options.question, options.blockedReason, options.report]).toEqual([
      "make 'test all'",
      "check",
      "No commands.",
      true,
    ]);
    expect(options.choices.map((one) => [one.label, one.signal])).toEqual([
      ["Run it now", { type: "Approve", key: "k", approve: true }],
    ]);
    expect(options.deny).toBe("Deny");
  });

  test("for a command that may not run: to report or deny", () => {
    const options = answerOptions({ ...command, can_allow: false });
    expect([options.choices, options.deny, options.report]).toEqual([[], "Deny", true]);
  });

  test("a choice that needs texts is completed by the person", () => {
    const parameters = {
      type: "object",
      required: ["to", "message"],
      properties: { to: { enum: ["coder"] }, message: { type: "string", minLength: 1 } },
    };
    const call = { name: "send_handoff", arguments: { to: "coder" } };
    const options = answerOptions({
      ...HERE,
      key: "k",
      effect: "AskModel",
      tools: [{ name: "send_handoff", parameters }],
      choices: [
        { label: "task", transition: "t", reply: { tool_calls: [call] } },
        { label: "done", transition: "", reply: { text: "" } },
      ],
    });
    expect(options.choices.map((one) => one.draft)).toEqual([
      {
        kind: "call",
        name: "send_handoff",
        arguments: { to: "coder", message: "" },
        texts: ["message"],
      },
      { kind: "text" },
    ]);
    expect(options.tools.map((one) => one.name)).toEqual(["send_handoff"]);
  });

  test("for an approval: the call with all its arguments", () => {
    const call = { name: "bash", arguments: { command: "ls 'a b'" } };
    const options = answerOptions({
      ...HERE,
      key: "k",
      effect: "AskHuman",
      kind: "approve",
      question: "Well?",
      call,
    });
    expect(options.command).toBe(`bash {\n  "command": "ls 'a b'"\n}`);
  });

  const kinds: [string, number, boolean][] = [
    ["approve", 1, false],
    ["event", 1, false],
    ["answer", 1, true],
  ];
  test.each(kinds)("for a question of kind %s: %i buttons", (kind, buttons, form) => {
    const choices = [{ label: "Go", transition: "", reply: {} }];
    const options = answerOptions({
      ...HERE,
      key: "k",
      effect: "AskHuman",
      kind,
      question: "Well?",
      choices,
    });
    expect([options.choices.length, options.form]).toEqual([buttons, form]);
  });

  test("for a wait: none", () => {
    expect(answerOptions({ ...HERE, key: "k", effect: "Wait" })).toMatchObject({
      choices: [],
      form: false,
    });
  });
});

describe("the minimal value of a schema", () => {
  const cases: [Json, Json][] = [
    [{ type: "string" }, ""],
    [{ type: ["string", "null"] }, ""],
    [{ type: "integer", minimum: 3 }, 3],
    [{ enum: ["a", "b"] }, "a"],
    [{ const: 7 }, 7],
    [{ type: "array", items: { type: "boolean" }, minItems: 1 }, [false]],
    [{ anyOf: [{ type: "number" }, { type: "string" }] }, 0],
    [{ properties: { a: { type: "string" }, b: { type: "string" } }, required: ["a"] }, { a: "" }],
    [{ properties: { a: { type: "boolean" } } }, { a: false }],
    [true, null],
  ];
  test.each(cases)("%j", (schema, value) => {
    expect(minimalValue(schema)).toEqual(value);
  });
});

test("a written answer starts with the first choice", () => {
  const schema = {
    properties: {
      note: { type: "string" },
      next: { properties: { action: { type: "string" }, why: { type: "string" } } },
    },
  };
  const choices = [
    { label: "Go", transition: "", reply: { structured: { next: { action: "go" } } } },
  ];
  expect(initialAnswer({ ...HERE, key: "k", effect: "AskModel", choices }, schema)).toEqual({
    note: "",
    next: { action: "go", why: "" },
  });
});

describe("approvals with arguments, and answers in fields", () => {
  const humanQuestion = (more: object) =>
    ({ key: "k", effect: "AskHuman", question: "?", ...more }) as unknown as Pending;

  test("a call can be approved with other arguments; a plain question has none", () => {
    const call = { name: "spawn_node", arguments: { label: "Reader" } };
    expect(answerOptions(humanQuestion({ kind: "approve", call })).call).toEqual(call);
    expect(answerOptions(humanQuestion({ kind: "approve" })).call).toBeNull();
  });

  test("texts and enums are fields, except those that a choice sets", () => {
    const schema = {
      type: "object",
      properties: {
        finish: { type: "boolean" },
        to: { enum: ["a", "b"], title: "Agent" },
        message: { type: "string" },
      },
    };
    const finish = { label: "finish", reply: { structured: { finish: true } } };
    expect(
      answerOptions(humanQuestion({ kind: "answer", schema, choices: [finish] })).fields,
    ).toEqual([
      { name: "to", title: "Agent", options: ["a", "b"] },
      { name: "message", title: "message", options: null },
    ]);
  });

  test.each([
    { type: "object", properties: { deep: { type: "object" } } },
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { type: "string" },
  ])("other schemas are answered as JSON: %j", (schema) => {
    expect(answerOptions(humanQuestion({ kind: "answer", schema })).fields).toBeNull();
  });
});
