import { describe, expect, it } from "vitest";
import { joinCommand, splitCommand } from "./commandLine";

describe("a command", () => {
  it.each([
    ["npx -y @scope/server", ["npx", "-y", "@scope/server"]],
    ["  uvx   server ", ["uvx", "server"]],
    ["run 'two words' \"and more\"", ["run", "two words", "and more"]],
    ["a\\ b ''", ["a b", ""]],
    ['"a \\"b\\" \\n"', ['a "b" \\n']],
    ["--text={argument}", ["--text={argument}"]],
    ["", []],
  ])("%s is split into its words", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it("with an unclosed quote has no words", () => {
    expect(splitCommand("run 'two words")).toBeNull();
  });

  it.each([[["npx", "-y", "x"]], [["a b", "it's", "", '"', "\\"]], [["{path}", "*"]]])(
    "of %s is joined and split again",
    (words) => {
      expect(splitCommand(joinCommand(words))).toEqual(words);
    },
  );
});
