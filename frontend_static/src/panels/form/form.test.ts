import { describe, expect, test } from "vitest";
import type { Json } from "../../session";
import {
  fieldEdit,
  jsonEqual,
  appendToPointer,
  parseJson,
  parseNumber,
  parseText,
  valueAt,
} from "./fieldEdits";
import { withLineEndings } from "./lineEndings";
import { emptyValue, orderedProperties, variantOf, widgetOf, type Schema } from "./schema";

describe("one commit is one edit", () => {
  const values = { name: "Review", limits: { visits: 3 }, tags: ["a", "b"], "a/b": 1 };
  const cases: [string, string, Json | undefined, object | null][] = [
    ["a changed value", "/name", "Check", { type: "set_field", field: "/name", value: "Check" }],
    ["the same value is no edit", "/name", "Review", null],
    ["a cleared value is taken out", "/name", undefined, { type: "unset_field", field: "/name" }],
    ["clearing what is not there is no edit", "/note", undefined, null],
    [
      "a value inside",
      "/limits/visits",
      4,
      { type: "set_field", field: "/limits/visits", value: 4 },
    ],
    ["a list is one value", "/tags", ["a"], { type: "set_field", field: "/tags", value: ["a"] }],
    ["an equal list is no edit", "/tags", ["a", "b"], null],
    [
      "a missing parent is made",
      "/hooks/before/run",
      "x",
      { type: "set_field", field: "/hooks", value: { before: { run: "x" } } },
    ],
    [
      "a slash in a name",
      appendToPointer("", "a/b"),
      2,
      { type: "set_field", field: "/a~1b", value: 2 },
    ],
    [
      "an explicit default is a value",
      "/limits/loop",
      null,
      { type: "set_field", field: "/limits/loop", value: null },
    ],
  ];
  test.each(cases)("%s", (_name, pointer, value, edit) => {
    expect(fieldEdit("state:review", values, pointer, value)).toEqual(
      edit && { element: "state:review", ...edit },
    );
  });

  test("a pointer does not reach inherited properties", () => {
    expect(valueAt({}, "/constructor")).toBeUndefined();
  });

  test("values are equal regardless of key order", () => {
    expect(jsonEqual({ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 })).toBe(true);
    expect(jsonEqual({ a: 1 }, { a: 1, b: 2 })).toBe(false);
  });
});

describe("parsing typed text", () => {
  const numbers: [string, Schema, boolean, object][] = [
    ["3", { type: "integer" }, false, { value: 3 }],
    [" 1e3 ", { type: "number" }, false, { value: 1000 }],
    ["", { type: "integer" }, false, { value: undefined }],
    ["", { type: "integer" }, true, { problem: "A number is needed here." }],
    ["1.5", { type: "integer" }, false, { problem: "A whole number is needed here." }],
    ["x", { type: "number" }, false, { problem: "“x” is not a number." }],
    ["0", { type: "integer", minimum: 1 }, false, { problem: "At least 1." }],
    ["Infinity", { type: "number" }, false, { problem: "“Infinity” is not a number." }],
  ];
  test.each(numbers)("the number %j under %j (required: %s)", (typed, schema, required, read) => {
    expect(parseNumber(typed, schema, required)).toEqual(read);
  });

  const texts: [string, Schema, boolean, object][] = [
    ["", {}, false, { value: undefined }],
    ["", {}, true, { value: "" }],
    ["", { minLength: 1 }, true, { problem: "This must not be empty." }],
    ["abc", { maxLength: 2 }, false, { problem: "At most 2 characters; this has 3." }],
    ["A b", { pattern: "^[a-z]+$" }, false, { problem: "This must match ^[a-z]+$" }],
    ["fine", { pattern: "(?P<python>only)" }, false, { value: "fine" }],
  ];
  test.each(texts)("the text %j under %j (required: %s)", (typed, schema, required, read) => {
    expect(parseText(typed, schema, required)).toEqual(read);
  });

  test("invalid JSON has an error message", () => {
    expect(parseJson('{"a":1}', false)).toEqual({ value: { a: 1 } });
    expect(parseJson("{", false)).toHaveProperty("problem");
  });
});

describe("the widget of a field", () => {
  const cases: [Schema, Json | undefined, string][] = [
    [{ type: "string" }, "x", "line"],
    [{ type: "string", "x-widget": "prompt" }, undefined, "prompt"],
    [{ type: "string", "x-widget": "text" }, "x", "lines"],
    [{ type: "string", enum: ["a"] }, "zzz", "enum"],
    [{ type: "integer" }, 3, "number"],
    [{ type: "integer" }, "three", "json"],
    [{ type: "array", items: { type: "string" } }, ["a"], "strings"],
    [{ type: "array", items: { type: "string" } }, ["a", 1], "json"],
    [{ type: "array", items: { type: "object", properties: {} } }, [{}], "list"],
    [{ type: "object", properties: {} }, {}, "object"],
    [{ type: "object", additionalProperties: { type: "string" } }, {}, "map"],
    [{ type: "object" }, {}, "json"],
    [{ oneOf: [] }, {}, "variants"],
    [{ type: "array", items: { oneOf: [] } }, [{}], "list"],
    [{}, 1, "json"],
  ];
  test.each(cases)("%j with %j", (schema, value, widget) => {
    expect(widgetOf(schema, value)).toBe(widget);
  });

  test("properties follow `x-order`, then the declared order", () => {
    expect(
      orderedProperties({ properties: { a: {}, b: {}, c: {} }, "x-order": ["c", "zzz"] }),
    ).toEqual(["c", "a", "b"]);
  });

  test("a variant is recognised by its constant and required keys", () => {
    const schema: Schema = {
      oneOf: [
        { properties: { type: { enum: ["one"] }, x: {} }, required: ["type"] },
        { properties: { type: { const: "two" }, y: {} }, required: ["type"] },
      ],
    };
    expect(variantOf(schema, { type: "two" })).toBe(1);
    expect(variantOf(schema, { type: "three" })).toBe(-1);
    expect(emptyValue(schema.oneOf![1]!)).toEqual({ type: "two" });
  });
});

describe("line endings of a file", () => {
  const cases: [string, string, string, string][] = [
    ["unix stays unix", "a\nb\n", "a\nc\n", "a\nc\n"],
    ["windows stays windows", "a\r\nb\r\n", "a\nb\nc\n", "a\r\nb\r\nc\r\n"],
    [
      "untouched lines of a mixed file keep theirs",
      "a\r\nb\nc\r\nd",
      "a\nb\nx\nd",
      "a\r\nb\nx\r\nd",
    ],
    ["nothing changed", "a\r\nb\nc", "a\nb\nc", "a\r\nb\nc"],
    ["a line taken out", "a\r\na\r\nb\n", "a\nb\n", "a\r\nb\n"],
  ];
  test.each(cases)("%s", (_name, original, edited, written) => {
    expect(withLineEndings(original, edited)).toBe(written);
  });
});
