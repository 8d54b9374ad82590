import { describe, expect, it } from "vitest";
import {
  canDeclare,
  matchingNames,
  placeholderNames,
  typedName,
  type PromptNames,
} from "./placeholders";

const braces: PromptNames = {
  names: [{ name: "brief", kind: "variable", help: "" }],
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
    const offered = (typed: string) =>
      matchingNames(typed, { ...braces, names }).map((one) => one.name);
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
});
