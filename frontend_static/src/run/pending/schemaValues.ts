/** Values that fit a JSON Schema. */

import type { Json } from "../../session";

export function mergeJson(under: Json, over: Json | undefined): Json {
  if (over === undefined || over === null) return under;
  if (!isMap(under) || !isMap(over)) return over;
  const both = Object.entries(over).map(
    ([name, value]) => [name, mergeJson(under[name] ?? null, value)] as const,
  );
  return { ...under, ...Object.fromEntries(both) };
}

export const isMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * The minimal value that a schema allows: all required properties, the first value of each enum.
 */
export function minimalValue(schema: Json, depth = 0): Json {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema) || depth > 8)
    return null;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null;
  const options = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(options)) return minimalValue(options[0] ?? null, depth + 1);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "string":
      return "";
    case "integer":
    case "number":
      return typeof schema.minimum === "number" ? schema.minimum : 0;
    case "boolean":
      return false;
    case "array":
      return typeof schema.minItems === "number" && schema.minItems > 0
        ? [minimalValue(schema.items ?? null, depth + 1)]
        : [];
    case "null":
      return null;
    default:
      return minimalObject(schema, depth);
  }
}

function minimalObject(schema: { [key: string]: Json }, depth: number): Json {
  const properties = schema.properties;
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) return {};
  const required = Array.isArray(schema.required)
    ? schema.required.map(String)
    : Object.keys(properties);
  const filled = required.map(
    (name) => [name, minimalValue(properties[name] ?? null, depth + 1)] as const,
  );
  return Object.fromEntries(filled);
}

/**
 * The same value with empty texts, except those of a list in the schema, and the paths of these
 * texts.
 */
export function withoutTexts(
  value: Json,
  schema: Json,
  path = "",
): { value: Json; texts: string[] } {
  if (isMap(schema) && (schema.enum !== undefined || schema.const !== undefined))
    return { value, texts: [] };
  if (typeof value === "string") return { value: "", texts: [path] };
  if (Array.isArray(value)) return { value, texts: [] };
  if (!isMap(value)) return { value, texts: [] };
  const parts = Object.entries(value).map(([name, one]) => ({
    name,
    ...withoutTexts(one, propertySchema(schema, name), path ? `${path}/${name}` : name),
  }));
  return {
    value: Object.fromEntries(parts.map((part) => [part.name, part.value])),
    texts: parts.flatMap((part) => part.texts),
  };
}

function propertySchema(schema: Json, name: string): Json {
  const properties = isMap(schema) ? schema.properties : undefined;
  return (properties && isMap(properties) && properties[name]) || {};
}

/** The value at a path of property names, separated by slashes. */
export function valueAt(value: Json, path: string): Json | undefined {
  return path
    .split("/")
    .reduce<Json | undefined>(
      (now, name) => (now !== undefined && now !== null && isMap(now) ? now[name] : undefined),
      value,
    );
}
