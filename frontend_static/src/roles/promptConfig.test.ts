import { describe, expect, it } from "vitest";
import { ApiError } from "../api/client";
import { variablesWithValue, previewContext, usedVariables } from "./sampleValues";
import { countBelow, problemsOfRefusal, editorOffset, type Problem } from "./problems";
import {
  differences,
  jsonEqual,
  textAt,
  withoutBlankItems,
  withList,
  withText,
  type Config,
  type Draft,
  type Variable,
} from "./promptConfig";

const config = {
  system_prompt: "You are {{ role_local.name }}.",
  templates: {
    ticket_task: "{{ ticket.title }}",
    chat_task: "{{ message }}",
    gate_eval: "{{ gate.criteria }}",
    extra: "kept",
  },
  output_templates: {
    agent_done: "Done in {{ project.metadata.language }}",
    gate_pass: "PASS",
    gate_fail: "FAIL",
  },
} as Config;
const draft = (changed: Config): Draft => ({
  name: "R",
  description: "",
  color: "#112233",
  config: changed,
});

describe("a text of a config", () => {
  it("changes without touching unknown keys", () => {
    const changed = withText(config, "/templates/gate_eval", "Decide.");
    expect(textAt(changed, "/templates/gate_eval")).toBe("Decide.");
    expect(differences(draft(config), draft(changed)).map((one) => one.title)).toEqual([
      "Tasks: Gate",
    ]);
    expect((changed.templates as Record<string, string>).extra).toBe("kept");
  });

  it("is removed if it is optional and blank, and kept if it is required", () => {
    const scheduled = withText(config, "/templates/cron_task", "Nightly.");
    expect(jsonEqual(withText(scheduled, "/templates/cron_task", ""), config)).toBe(true);
    expect(withText(config, "/templates/chat_task", "").templates.chat_task).toBe("");
  });

  it("is equal regardless of key order", () => {
    expect(jsonEqual({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toBe(true);
    expect(jsonEqual({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
  });

  it("loses its blank list items", () => {
    expect(withoutBlankItems(withList(config, "core_focus", ["one", " "])).memory_profile).toEqual({
      core_focus: ["one"],
    });
    expect(withoutBlankItems(config)).toBe(config);
  });

  it("differs in lists and unknown keys too", () => {
    const lists = withList(config, "core_focus", ["one", "two"]);
    expect(differences(draft(config), draft(lists))).toEqual([
      { title: "Memory: In every project", before: "", after: "one\ntwo" },
    ]);
    const odd = { ...config, odd: { deep: [1] } } as Config;
    expect(differences(draft(config), draft(odd)).map((one) => one.title)).toEqual(["Other keys"]);
  });
});

describe("a problem", () => {
  it("has its editor offset after surrogate pairs and CRLF line endings", () => {
    const text = "😀\r\né{{ x }}";
    expect(editorOffset(text, 4)).toBe("😀\né".length);
    expect(editorOffset(text, 99)).toBe(text.length - 1);
  });

  it("of a refusal keeps the warnings of unchanged texts", () => {
    const warning = (path: string): Problem => ({
      path,
      code: "blank",
      message: "",
      level: "warning",
      start: 0,
      end: 0,
    });
    const details = [
      {
        path: "/prompt_config/templates/ticket_task",
        code: "syntax",
        message: "No.",
        level: "error",
        start: 1,
        end: 2,
      },
    ];
    const refused = new ApiError(422, "validation_error", "No.", "", "", { details });
    const before = [warning("/templates/ticket_task"), warning("/templates/chat_task")];
    const problems = problemsOfRefusal(
      refused,
      before,
      config,
      withText(config, "/templates/ticket_task", "{% if %}"),
    );
    expect(problems.map((one) => `${one.level} ${one.path}`)).toEqual([
      "error /templates/ticket_task",
      "warning /templates/chat_task",
    ]);
    expect(countBelow(problems, "/templates/ticket_task")).toEqual({ errors: 1, warnings: 0 });
  });

  it("that occurs while a text is rendered is reported at that text", () => {
    const refused = new ApiError(
      422,
      "cannot_render",
      "It took too long.",
      "",
      "/prompt_config/system_prompt",
      {},
    );
    expect(problemsOfRefusal(refused, [], config, config)[0]).toMatchObject({
      path: "/system_prompt",
      message: "It took too long.",
    });
  });
});

describe("the sample values", () => {
  const everywhere = ["/system_prompt", "/templates/ticket_task", "/templates/chat_task"];
  const variable = (name: string, places: string[], example: Variable["example"]): Variable => ({
    name,
    section: name.split(".")[0]!,
    about: "",
    places,
    example,
  });
  const variables = [
    variable("ticket.title", ["/templates/ticket_task"], "A title"),
    variable("chat.message", ["/templates/chat_task"], "Hello"),
    variable("project.metadata", everywhere, { language: "Python" }),
    variable("role_local.name", everywhere, "developer"),
    variable("step.prompt", ["/templates/chat_task"], "Answer."),
  ];
  const names = (variables: readonly Variable[]) => variables.map((one) => one.name);

  it("have the variables of the kind of work", () => {
    expect(names(variablesWithValue(variables, "ticket_task"))).toEqual([
      "ticket.title",
      "project.metadata",
    ]);
    expect(names(variablesWithValue(variables, "cron_task"))).toEqual(["project.metadata"]);
  });

  it("list the variables that the texts name, including aliases and nested names", () => {
    expect(names(usedVariables(variables, config, "chat_task", "chat_task"))).toEqual([
      "chat.message",
      "project.metadata",
      "role_local.name",
      "step.prompt",
    ]);
  });

  it("are parsed as JSON if the example is JSON, and else used as text", () => {
    const written = { "ticket.title": "12", "project.metadata": '{"a": 1}' };
    const own = { name: "R" };
    expect(previewContext(variables.slice(0, 3), written, own)).toEqual({
      role_local: { name: "R" },
      ticket: { title: "12" },
      chat: { message: "Hello" },
      project: { metadata: { a: 1 } },
    });
    expect(previewContext(variables.slice(2, 3), { "project.metadata": "{" }, own).project).toEqual(
      { metadata: "{" },
    );
  });
});
