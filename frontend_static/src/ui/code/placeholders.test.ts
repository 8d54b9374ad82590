import { describe, expect, it } from "vitest";
import {
  canDeclare,
  matchingNames,
  namePlaces,
  placeholderNames,
  typedName,
  typedTool,
  type PromptNames,
} from "./placeholders";

const braces: PromptNames = {
  names: [{ name: "brief", kind: "variable", help: "" }],
  tools: [],
  opening: "{{",
  closing: "}}",
  complete: true,
  declare: () => undefined,
};
const climpt: PromptNames = { ...braces, opening: "{uv-", closing: "}" };

describe("placeholders", () => {
  it("finds the name that is being typed", () => {
    expect(typedName("Write {{", braces)).toBe("");
    expect(typedName("Write {{ bri", braces)).toBe("bri");
    expect(typedName("{{ctx.upstream[0].pa", braces)).toBe("ctx.upstream[0].pa");
    expect(typedName("Write {{brief}} now", braces)).toBeNull();
    expect(typedName("Issue {uv-iss", climpt)).toBe("iss");
    expect(typedName("Issue {iss", climpt)).toBeNull();
  });

  it("offers names that begin with the typed text first", () => {
    const names = ["a.brief", "brief", "tone"].map((name) => ({ ...braces.names[0]!, name }));
    const offered = (typed: string) => matchingNames(typed, names).map((one) => one.name);
    expect(offered("Bri")).toEqual(["brief", "a.brief"]);
    expect(offered("")).toEqual(["a.brief", "brief", "tone"]);
  });

  it("declares new names that can be variables", () => {
    expect(canDeclare("tone", braces)).toBe(true);
    expect(canDeclare("brief", braces)).toBe(false);
    expect(canDeclare("artifacts.x", braces)).toBe(false);
    expect(canDeclare("", braces)).toBe(false);
    expect(canDeclare("tone", { ...braces, declare: undefined })).toBe(false);
  });

  it("finds plain names with their offsets", () => {
    expect(placeholderNames("A {{brief}} and {{fragments.x}}", braces)).toEqual([
      { name: "brief", from: 4, to: 9 },
    ]);
    expect(placeholderNames("{uv-issue} {{x}}", climpt)).toEqual([
      { name: "issue", from: 4, to: 9 },
    ]);
  });

  it("finds the tool that is being typed, and leaves prose alone", () => {
    expect(typedTool("Call `se", false)).toBe("se");
    expect(typedTool("Call `", false)).toBe("");
    expect(typedTool("Call search_or", false)).toBe("search_or");
    expect(typedTool("Call `search` and", false)).toBeNull();
    expect(typedTool("Call `search`", false)).toBeNull();
    expect(typedTool("Call sea", false)).toBeNull();
    expect(typedTool("Call sea", true)).toBe("sea");
  });

  it("finds each name with its kind", () => {
    const named = (name: string, kind: string) => ({ name, kind, help: "" });
    const now: PromptNames = {
      ...braces,
      names: [
        named("brief", "variable"),
        named("fragments.tone", "fragment"),
        named("ctx.up[0].parsed", "run"),
      ],
      tools: [named("search", "tool"), named("find_order", "tool")],
    };
    const kinds = (text: string) =>
      namePlaces(text, now).map((one) => `${text.slice(one.from, one.to)} ${one.kind}`);
    expect(kinds("{{brief}} {{fragments.tone}} {{ctx.up[0].parsed.title}}")).toEqual([
      "{{brief}} variable",
      "{{fragments.tone}} fragment",
      "{{ctx.up[0].parsed.title}} run",
    ]);
    expect(kinds("{{nope}} {{fragments.nope}} {{ctx.nope}} {{ctx.up[1].x}} {{#if x}}")).toEqual([
      "{{nope}} unknown",
      "{{fragments.nope}} unknown",
      "{{ctx.nope}} unknown",
      "{{ctx.up[1].x}} run",
      "{{#if x}} run",
    ]);
    expect(kinds("To search, call find_order or `search`; not find_orders.")).toEqual([
      "find_order tool",
      "search tool",
    ]);
  });
});
