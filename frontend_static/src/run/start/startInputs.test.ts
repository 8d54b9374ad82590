import { describe, expect, it } from "vitest";
import type { RunInput } from "../../session";
import { missingInputs, usedInputs } from "./startInputs";

const input = (name: string, more: Partial<RunInput> = {}): RunInput => ({
  name,
  help: "",
  type: "string",
  required: true,
  default: "",
  examples: [],
  values: [],
  prompts: [],
  by_role: false,
  simulated: "",
  ...more,
});

describe("inputs of a start", () => {
  it("names required inputs that are empty or blank", () => {
    const inputs = [input("brief"), input("tone", { required: false }), input("task")];
    expect(missingInputs(inputs, [["brief", "  "]])).toEqual(["brief", "task"]);
    expect(
      missingInputs(inputs, [
        ["brief", "Tea"],
        ["task", "Sort"],
      ]),
    ).toEqual([]);
  });

  it("leaves out the inputs of other prompts", () => {
    const inputs = [input("all"), input("one", { prompts: ["first"] })];
    expect(usedInputs(inputs, {}).map((found) => found.name)).toEqual(["all"]);
    expect(usedInputs(inputs, { prompt: "first" }).map((found) => found.name)).toEqual([
      "all",
      "one",
    ]);
  });
});
