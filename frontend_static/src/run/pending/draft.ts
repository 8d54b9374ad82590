/**
 * Answers of a choice that a person completes. A choice only decides the transition; the texts of an
 * answer are written by the person, so that no generated text is sent in their name.
 */

import type { Json } from "../../session";
import type { Call, Choice, Tool } from "./answerOptions";
import { mergeJson, minimalValue, valueAt, withoutTexts } from "./schemaValues";

export type Draft =
  | { kind: "structured"; value: Json; texts: readonly string[] }
  | { kind: "call"; name: string; arguments: Json; texts: readonly string[] }
  | { kind: "text" };

/** The form of a choice that needs texts; null if the choice is a whole answer. */
export function draftOf(
  { reply }: Choice,
  schema: Json | undefined,
  tools: readonly Tool[],
  answerTool: Json | undefined,
): Draft | null {
  const call: Call | undefined = reply.tool_calls?.[0];
  if (call) {
    const parameters = tools.find((tool) => tool.name === call.name)?.parameters ?? {};
    const { value, texts } = completed(parameters, call.arguments ?? {});
    if (texts.length === 0) return null;
    return call.name === answerTool
      ? { kind: "structured", value, texts }
      : { kind: "call", name: call.name ?? "", arguments: value, texts };
  }
  if (reply.structured !== undefined && reply.structured !== null) {
    const { value, texts } = completed(schema ?? {}, reply.structured);
    return texts.length === 0 ? null : { kind: "structured", value, texts };
  }
  return reply.text ? null : { kind: "text" };
}

/** The decided value with all that the schema requires, and the paths of the texts to write. */
function completed(schema: Json, decided: Json): { value: Json; texts: string[] } {
  const { value, texts } = withoutTexts(minimalValue(schema), schema);
  return {
    value: mergeJson(value, decided),
    texts: texts.filter((path) => valueAt(decided, path) === undefined),
  };
}

/** The first of these texts that is still empty, "" if all are written. */
export function missingText(value: Json, texts: readonly string[]): string {
  return texts.find((path) => !String(valueAt(value, path) ?? "").trim()) ?? "";
}
