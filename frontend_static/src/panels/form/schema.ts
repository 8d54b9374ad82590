/** The subset of JSON Schema that a dialect describes its forms with, and which widget draws what. */

import type { Json } from "../../session";

export interface Schema {
  type?: string;
  title?: string;
  description?: string;
  default?: Json;
  examples?: Json[];
  enum?: Json[];
  const?: Json;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  oneOf?: Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  readOnly?: boolean;
  "x-widget"?: "prompt" | "text" | "json" | "code";
  "x-choices"?: Json[];
  "x-element"?: string;
  "x-order"?: string[];
  "x-group"?: string;
  "x-rare"?: boolean;
}

export type Widget =
  | "prompt"
  | "code"
  | "lines"
  | "line"
  | "enum"
  | "number"
  | "boolean"
  | "strings"
  | "list"
  | "map"
  | "object"
  | "variants"
  | "json";

/** The widget of a field. A value that does not fit its schema is shown as JSON. */
export function widgetOf(schema: Schema, value: Json | undefined): Widget {
  if (schema["x-widget"] === "json") return "json";
  const widget = widgetForSchema(schema);
  return value === undefined || widgetFits(widget, value) ? widget : "json";
}

function widgetForSchema(schema: Schema): Widget {
  if (schema.enum) return "enum";
  if (schema.oneOf) return "variants";
  switch (schema.type ?? (schema.properties && "object")) {
    case "string":
      return (
        ({ prompt: "prompt", code: "code", text: "lines" } as const)[
          schema["x-widget"] as "prompt" | "code" | "text"
        ] ?? "line"
      );
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return listWidget(schema.items);
    case "object":
      return schema.properties
        ? "object"
        : typeof schema.additionalProperties === "object"
          ? "map"
          : "json";
    default:
      return "json";
  }
}

function listWidget(items: Schema | undefined): Widget {
  if (!items) return "json";
  if (items.type === "string" && !items["x-widget"]) return "strings";
  return items.oneOf || (items.type === "object" && items.properties) ? "list" : "json";
}

function widgetFits(widget: Widget, value: Json): boolean {
  switch (widget) {
    case "prompt":
    case "code":
    case "lines":
    case "line":
      return typeof value === "string";
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "list":
      return Array.isArray(value) && value.every(isObject);
    case "map":
    case "object":
    case "variants":
      return isObject(value);
    default:
      return true;
  }
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema of the field at a JSON pointer through `properties`; {} if there is none. */
export function schemaAt(schema: Schema, pointer: string): Schema {
  const names = pointer.split("/").slice(1);
  return names.reduce<Schema>((here, name) => here.properties?.[name] ?? {}, schema);
}

/** The schema without the top-level property that a JSON pointer begins with. */
export function withoutField(schema: Schema, pointer: string): Schema {
  const name = pointer.split("/")[1] ?? "";
  const { [name]: _left, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
}

/** Names of an object's properties in the order to show them: `x-order`, then as declared. */
export function orderedProperties(schema: Schema): string[] {
  const names = Object.keys(schema.properties ?? {});
  const first = (schema["x-order"] ?? []).filter((name) => names.includes(name));
  return [...first, ...names.filter((name) => !first.includes(name))];
}

/** The index of a value's variant in a `oneOf`: the one with all its required and most of its other keys. */
export function variantOf(schema: Schema, value: Json | undefined): number {
  if (!isObject(value)) return -1;
  const scores = (schema.oneOf ?? []).map((option) => variantScore(option, value));
  const best = Math.max(-1, ...scores);
  return best < 0 ? -1 : scores.indexOf(best);
}

function variantScore(option: Schema, value: { [key: string]: Json }): number {
  const properties = option.properties ?? {};
  for (const name of option.required ?? []) if (!(name in value)) return -1;
  for (const [name, one] of Object.entries(properties)) {
    const fixed = one.const !== undefined ? [one.const] : one.enum;
    if (fixed && name in value && !fixed.includes(value[name] as Json)) return -1;
  }
  return Object.keys(value).filter((name) => name in properties).length;
}

/** A value to start from: the default, or the emptiest one that has what is required. */
export function emptyValue(schema: Schema): Json {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0] ?? null;
  if (schema.oneOf?.[0]) return emptyValue(schema.oneOf[0]);
  switch (schema.type ?? (schema.properties && "object")) {
    case "string":
      return "";
    case "integer":
    case "number":
      return schema.minimum ?? 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object": {
      const needed = (schema.required ?? []).filter((name) => schema.properties?.[name]);
      return Object.fromEntries(
        needed.map((name) => [name, emptyValue(schema.properties![name]!)]),
      );
    }
    default:
      return null;
  }
}

/** "max_visits" → "max visits": a label for a property that has no title. */
export function labelOf(name: string, schema: Schema): string {
  return schema.title ?? name.replace(/_/g, " ");
}
