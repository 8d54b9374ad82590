import { expect, test } from "vitest";
import table from "../../../tests/vectors/ascii_letters.json";
import { asciiLetters } from "./asciiLetters";

test.each(Object.entries(table))("%j in ASCII letters is %j", (text, ascii) => {
  expect(asciiLetters(text)).toBe(ascii);
});
