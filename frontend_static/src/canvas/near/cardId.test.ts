import { expect, test } from "vitest";
import { endOf } from "./CardId";

test.each([
  ["draft", 0],
  ["initial.project", 0],
  ["continuation.project.closure", 20],
  ["a_very_long_name_of_a_state", 16],
  ["continuationprojectclosure", 18],
])("the end of %s begins at %i", (id, at) => {
  expect(endOf(id)).toBe(at);
});

test.each([
  ["draft", 0],
  ["with_colleague", 9],
  ["Code reviewer", 8],
  ["security", 3],
])("in a chip, the end of %s begins at %i", (name, at) => {
  expect(endOf(name, "chip")).toBe(at);
});
