import { describe, expect, it } from "vitest";
import type { Form, Json } from "../../session";
import { commonFields } from "./commonFields";
import type { Schema } from "./schema";

const form = (properties: Record<string, Schema>, values: { [name: string]: Json }): Form =>
  ({ schema: { type: "object", properties }, values }) as unknown as Form;
const text: Schema = { type: "string" };

describe("the common fields of several states", () => {
  it("are the fields of the same kind, with the value that all share", () => {
    const { schema, values, different } = commonFields([
      form({ model: text, cap: { type: "integer" }, only: text }, { model: "opus", cap: 3 }),
      form({ cap: { type: "integer" }, model: text }, { model: "opus", cap: 4 }),
    ]);
    expect(Object.keys(schema.properties ?? {})).toEqual(["model", "cap"]);
    expect(values).toEqual({ model: "opus" });
    expect([...different]).toEqual(["/cap"]);
  });

  it("leave out a name that is another kind of field elsewhere", () => {
    const { schema } = commonFields([
      form({ kind: { type: "string", enum: ["a"] }, next: text }, {}),
      form({ kind: { type: "string", enum: ["b"] }, next: { type: "integer" } }, {}),
    ]);
    expect(schema.properties).toEqual({});
  });

  it("differ where one state has no value", () => {
    const { values, different } = commonFields([
      form({ note: text }, { note: "x" }),
      form({ note: text }, {}),
    ]);
    expect(values).toEqual({});
    expect([...different]).toEqual(["/note"]);
  });

  it("are compared inside of objects and maps", () => {
    const properties: Record<string, Schema> = {
      retry: { type: "object", properties: { attempts: { type: "integer" }, backoff: text } },
      events: { type: "object", additionalProperties: text },
    };
    const { values, different } = commonFields([
      form(properties, { retry: { attempts: 1, backoff: "none" }, events: { Stop: "a", Go: "b" } }),
      form(properties, { retry: { attempts: 2, backoff: "none" }, events: { Stop: "a", Up: "c" } }),
    ]);
    expect(values).toEqual({ retry: { backoff: "none" }, events: { Stop: "a" } });
    expect([...different]).toEqual(["/retry/attempts", "/events"]);
  });

  it("have the entries that all lists have", () => {
    const tools: Schema = { type: "array", items: text };
    const { values, different } = commonFields([
      form({ tools }, { tools: ["read", "write", "run"] }),
      form({ tools }, { tools: ["run", "read"] }),
    ]);
    expect(values).toEqual({ tools: ["read", "run"] });
    expect([...different]).toEqual(["/tools"]);
  });

  it("leave out a computed field where its values differ, and texts about one state", () => {
    const rights: Schema = { type: "string", readOnly: true };
    const { schema } = commonFields([
      form({ rights, role: { ...text, description: "Also used by b." } }, { rights: "read" }),
      form({ rights, role: { ...text, description: "Also used by a." } }, { rights: "write" }),
    ]);
    expect(schema.properties).toEqual({ role: text });
  });

  it("leave out a text of several lines that differs, because a change would replace all of them", () => {
    const properties: Record<string, Schema> = {
      prompt: { type: "string", "x-widget": "prompt" },
      notes: { type: "object", additionalProperties: { type: "string", "x-widget": "text" } },
      same: { type: "string", "x-widget": "text" },
      schema: { type: "object", "x-widget": "json" },
    };
    const { schema, values, different, differentTexts } = commonFields([
      form(properties, {
        prompt: "Write.",
        same: "x",
        notes: { a: "1", b: "2" },
        schema: { a: 1 },
      }),
      form(properties, { prompt: "Review.", same: "x", notes: { a: "1", b: "3" }, schema: {} }),
    ]);
    expect(Object.keys(schema.properties ?? {})).toEqual(["notes", "same"]);
    expect(values).toEqual({ same: "x", notes: { a: "1" } });
    expect([...different]).toEqual(["/notes"]);
    expect([...differentTexts]).toEqual(["/prompt", "/notes/b", "/schema"]);
  });

  it("leave out a prompt that only one state has, and an object with nothing else", () => {
    const text: Schema = { type: "string", "x-widget": "prompt" };
    const properties: Record<string, Schema> = {
      prompt: { type: "object", properties: { text } },
    };
    const { schema } = commonFields([
      form(properties, { prompt: { text: "Write." } }),
      form(properties, { prompt: {} }),
    ]);
    expect(schema.properties).toEqual({});
  });
});
