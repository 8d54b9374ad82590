/** The fields that several states share, as one form. Pure. */

import type { Form, Json } from "../../session";
import { appendToPointer, jsonEqual } from "./fieldEdits";
import { isObject, orderedProperties, widgetOf, type Schema, type Widget } from "./schema";

export interface CommonFields {
  schema: Schema;
  /** The values that all forms share. */
  values: { [name: string]: Json };
  /** JSON pointers of the fields whose values differ. */
  different: ReadonlySet<string>;
  /** JSON pointers of prompts, other texts of several lines and JSON that differ, and are left out. */
  differentTexts: ReadonlySet<string>;
}

/**
 * The fields of the same kind in all forms. Objects, maps and lists of texts are compared inside; other
 * values as a whole. Where values differ, two kinds of fields are left out: those that the file cannot
 * set, and texts of several lines or JSON, because a new text would replace all of them.
 */
export function commonFields(forms: readonly Form[]): CommonFields {
  const differences: Differences = { fields: new Set(), texts: new Set() };
  const merged = mergeObject(
    forms.map((form) => form.schema as Schema),
    forms.map((form) => form.values),
    "",
    differences,
  );
  return {
    schema: merged.schema,
    values: merged.value ?? {},
    different: differences.fields,
    differentTexts: differences.texts,
  };
}

/** JSON pointers of values that differ, in fields of the form and in texts that it leaves out. */
interface Differences {
  fields: Set<string>;
  texts: Set<string>;
}

const TEXT_WIDGETS: ReadonlySet<Widget> = new Set(["prompt", "code", "lines", "json"]);

type Merged = { schema: Schema; value: { [name: string]: Json } | undefined };
type Values = readonly (Json | undefined)[];

function mergeObject(
  schemas: readonly Schema[],
  values: Values,
  pointer: string,
  differences: Differences,
): Merged {
  const [first = {}] = schemas;
  const properties: Record<string, Schema> = {};
  const value: { [name: string]: Json } = {};
  for (const name of orderedProperties(first)) {
    const each = schemas.map((schema) => schema.properties?.[name]);
    if (!each.every((schema) => schema && hasShape(schema, each[0]!))) continue;
    const merged = mergeField(
      each as Schema[],
      values.map((one) => memberOf(one, name)),
      appendToPointer(pointer, name),
      differences,
    );
    if (!merged) continue;
    properties[name] = merged.schema;
    if (merged.value !== undefined) value[name] = merged.value;
  }
  const required = (first.required ?? []).filter((name) =>
    schemas.every((schema) => schema.required?.includes(name)),
  );
  const set = pointer === "" || values.some((one) => one !== undefined);
  return { schema: { ...first, properties, required }, value: set ? value : undefined };
}

function mergeField(
  schemas: readonly Schema[],
  values: Values,
  pointer: string,
  differences: Differences,
): { schema: Schema; value: Json | undefined } | null {
  const schema = withCommonText(schemas);
  const same = values.every((one) => jsonEqual(one, values[0]));
  if (schema.readOnly && !same) return null;
  const objects = values.every((one) => one === undefined || isObject(one));
  const widget = widgetOf(schema, undefined);
  if (objects && widget === "object") {
    const merged = mergeObject(schemas, values, pointer, differences);
    return Object.keys(merged.schema.properties ?? {}).length > 0 ? merged : null;
  }
  if (objects && widget === "map")
    return { schema, value: mergeMap(schema, values, pointer, differences) };
  if (same) return { schema, value: values[0] };
  if (TEXT_WIDGETS.has(widget)) {
    differences.texts.add(pointer);
    return null;
  }
  differences.fields.add(pointer);
  return { schema, value: widget === "strings" ? commonItems(values) : undefined };
}

/** The keys that all maps have. The map is marked as different if one has others. */
function mergeMap(
  schema: Schema,
  values: Values,
  pointer: string,
  differences: Differences,
): { [name: string]: Json } | undefined {
  const names = new Set(values.flatMap((one) => (isObject(one) ? Object.keys(one) : [])));
  if (values.every((one) => one === undefined)) return undefined;
  const inside = schema.additionalProperties as Schema;
  const common: { [name: string]: Json } = {};
  for (const name of names) {
    const each = values.map((one) => memberOf(one, name));
    const merged = each.includes(undefined)
      ? null
      : mergeField(
          values.map(() => inside),
          each,
          appendToPointer(pointer, name),
          differences,
        );
    if (merged) common[name] = merged.value ?? null;
    else differences.fields.add(pointer);
  }
  return common;
}

/** The entries that all lists have, in the order of the first. */
function commonItems(values: Values): Json[] {
  const [first = [], ...others] = values.map((one) => (Array.isArray(one) ? one : []));
  return first.filter((item) => others.every((list) => list.includes(item)));
}

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The first schema, with its description if all have it. */
function withCommonText(schemas: readonly Schema[]): Schema {
  const [first = {}] = schemas;
  if (schemas.every((one) => one.description === first.description)) return first;
  const { description: _own, ...rest } = first;
  return rest;
}

/** Keywords that describe a field without changing its kind. */
const TEXTS = new Set(["description", "default", "examples", "x-choices", "x-rare", "x-group"]);

/** True for two fields of one kind. The members of objects are compared on their own. */
function hasShape(schema: Schema, other: Schema): boolean {
  return shapeOf(schema) === shapeOf(other);
}

function shapeOf(schema: Schema): string {
  const skipped = widgetOf(schema, undefined) === "object" ? ["properties", "required"] : [];
  const own = Object.fromEntries(
    Object.entries(schema).filter(([name]) => !skipped.includes(name)),
  );
  return JSON.stringify(own, (name, value: unknown) => (TEXTS.has(name) ? undefined : value));
}
