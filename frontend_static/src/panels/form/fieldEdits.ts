/**
 * Converts the value of a field into one edit. Pure. Widgets call this on commit, not on every key.
 */

import { errorText } from "../../ui/errorText";
import type { Edit, Json } from "../../session";
import { isObject, type Schema } from "./schema";

export const appendToPointer = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replace(/~/g, "~0").replace(/\//g, "~1")}`;

export const splitPointer = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((name) => name.replace(/~1/g, "/").replace(/~0/g, "~"));

/** The value at a JSON pointer; undefined if there is none. */
export function valueAt(values: Json | undefined, pointer: string): Json | undefined {
  let here = values;
  for (const name of splitPointer(pointer)) {
    if (Array.isArray(here)) here = here[Number(name)];
    else if (isObject(here)) here = Object.hasOwn(here, name) ? here[name] : undefined;
    else return undefined;
  }
  return here;
}

/** The values with another one at a JSON pointer; undefined removes it. */
export const withValue = (
  values: Json,
  pointer: string,
  value: Json | undefined,
): Json | undefined => replaced(values, splitPointer(pointer), value);

function replaced(
  tree: Json | undefined,
  [name, ...rest]: string[],
  value: Json | undefined,
): Json | undefined {
  if (name === undefined) return value;
  if (Array.isArray(tree)) {
    const entry = replaced(tree[Number(name)], rest, value);
    return tree.toSpliced(Number(name), 1, ...(entry === undefined ? [] : [entry]));
  }
  const here = isObject(tree) ? tree : {};
  const inside = replaced(here[name], rest, value);
  if (inside !== undefined) return { ...here, [name]: inside };
  return Object.fromEntries(Object.entries(here).filter(([one]) => one !== name));
}

/** Compare two values as JSON, ignoring the order of keys. */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && jsonEqual(a[name], b[name]))
  );
}

/**
 * The edit that sets a field, or removes it for `undefined`; null if nothing changes. If parents
 * are missing in the file, the edit sets the outermost missing one with the rest inside.
 */
export function fieldEdit(
  element: string,
  values: Json,
  pointer: string,
  value: Json | undefined,
): Edit | null {
  const before = valueAt(values, pointer);
  if (value === undefined)
    return before === undefined ? null : { type: "unset_field", element, field: pointer };
  if (before !== undefined && jsonEqual(before, value)) return null;
  const missing = outermostMissing(values, pointer);
  const rest = splitPointer(pointer.slice(missing.length));
  const newValue = rest.reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
  return { type: "set_field", element, field: missing, value: newValue };
}

function outermostMissing(values: Json, pointer: string): string {
  let here = "";
  for (const name of splitPointer(pointer)) {
    here = appendToPointer(here, name);
    if (valueAt(values, here) === undefined) return here;
  }
  return pointer;
}

/** Typed text parsed as the field's type, or an error message. */
export type ParsedInput = { value: Json | undefined } | { problem: string };

/** Empty text removes an optional field, so that its default applies. */
export function parseText(text: string, schema: Schema, required: boolean): ParsedInput {
  if (text === "" && !required) return { value: undefined };
  if (schema.minLength !== undefined && text.length < schema.minLength)
    return {
      problem: text === "" ? "This must not be empty." : `At least ${schema.minLength} characters.`,
    };
  if (schema.maxLength !== undefined && text.length > schema.maxLength)
    return { problem: `At most ${schema.maxLength} characters; this has ${text.length}.` };
  if (schema.pattern !== undefined && !matches(schema.pattern, text))
    return { problem: `This must match ${schema.pattern}` };
  return { value: text };
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true; // The server checks patterns that the browser does not support.
  }
}

export function parseNumber(text: string, schema: Schema, required: boolean): ParsedInput {
  const trimmed = text.trim();
  if (trimmed === "")
    return required ? { problem: "A number is needed here." } : { value: undefined };
  const number = Number(trimmed);
  if (!Number.isFinite(number)) return { problem: `“${trimmed}” is not a number.` };
  if (schema.type === "integer" && !Number.isInteger(number))
    return { problem: "A whole number is needed here." };
  if (schema.minimum !== undefined && number < schema.minimum)
    return { problem: `At least ${schema.minimum}.` };
  if (schema.maximum !== undefined && number > schema.maximum)
    return { problem: `At most ${schema.maximum}.` };
  return { value: number };
}

export function parseJson(text: string, required: boolean): ParsedInput {
  if (text.trim() === "")
    return required ? { problem: "A value is needed here." } : { value: undefined };
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: `This is not JSON: ${errorText(error)}` };
  }
}
