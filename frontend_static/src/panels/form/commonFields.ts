/** The fields that several states share, as one form. Pure. */

import type { Form, Json } from "../../session";
import { appendToPointer, jsonEqual } from "./fieldEdits";
import { isObject, orderedProperties, widgetOf, type Schema } from "./schema";

export interface CommonFields {
  schema: Schema;
  /** The values that all forms share. */
  values: { [name: string]: Json };
  /** JSON pointers of the fields whose values differ. */
  different: ReadonlySet<string>;
}

/**
 * The fields of the same kind in all forms. Objects, maps and lists of texts are compared inside; other
 * values as a whole. A field that the file cannot set is left out where its values differ.
 */
export function commonFields(forms: readonly Form[]): CommonFields {
  const different = new Set<string>();
  const merged = mergeObject(
    forms.map((form) => form.schema as Schema),
    forms.map((form) => form.values),
    "",
    different,
  );
  return { schema: merged.schema, values: merged.value ?? {}, different };
}

type Merged = { schema: Schema; value: { [name: string]: Json } | undefined };
type Values = readonly (Json | undefined)[];

function mergeObject(
  schemas: readonly Schema[],
  values: Values,
  pointer: string,
  different: Set<string>,
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
      different,
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
  different: Set<string>,
): { schema: Schema; value: Json | undefined } | null {
  const schema = withCommonText(schemas);
  const same = values.every((one) => jsonEqual(one, values[0]));
  if (schema.readOnly && !same) return null;
  const objects = values.every((one) => one === undefined || isObject(one));
  const widget = widgetOf(schema, undefined);
  if (objects && widget === "object") return mergeObject(schemas, values, pointer, different);
  if (objects && widget === "map")
    return { schema, value: mergeMap(schema, values, pointer, different) };
  if (same) return { schema, value: values[0] };
  different.add(pointer);
  return { schema, value: widget === "strings" ? commonItems(values) : undefined };
}

/** The keys that all maps have. The map is marked as different if one has others. */
function mergeMap(
  schema: Schema,
  values: Values,
  pointer: string,
  different: Set<string>,
): { [name: string]: Json } | undefined {
  const names = new Set(values.flatMap((one) => (isObject(one) ? Object.keys(one) : [])));
  if (values.every((one) => one === undefined)) return undefined;
  const inside = schema.additionalProperties as Schema;
  const common: { [name: string]: Json } = {};
  for (const name of names) {
    const each = values.map((one) => memberOf(one, name));
    if (each.some((one) => one === undefined)) different.add(pointer);
    else {
      const place = appendToPointer(pointer, name);
      const merged = mergeField(
        values.map(() => inside),
        each,
        place,
        different,
      );
      common[name] = merged?.value ?? null;
    }
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
