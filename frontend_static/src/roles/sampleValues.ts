/** The made-up values that a preview is given. */

import type { Json } from "../api/types";
import { textAt, type Config, type Variable } from "./promptConfig";

/** Variable → what a person wrote for it. What is not there has its example. */
export type EnteredValues = Readonly<Record<string, string>>;

/** Sections whose values come from the role itself. */
const ROLE_SECTION = "role_local";

/** Variables that have a value in this kind of work (`task`: a key of `templates`). */
export function variablesWithValue(variables: readonly Variable[], task: string): Variable[] {
  const sent = ["/system_prompt", `/templates/${task}`];
  return variables.filter(
    (one) => one.section !== ROLE_SECTION && one.places.some((place) => sent.includes(place)),
  );
}

/** Those of them that the texts name that are sent for this work. A text that stands in counts. */
export function usedVariables(
  variables: readonly Variable[],
  config: Config,
  task: string,
  template: string,
): Variable[] {
  const answers =
    task === "gate_eval"
      ? ["/output_templates/gate_pass", "/output_templates/gate_fail"]
      : ["/output_templates/agent_done"];
  const paths = ["/system_prompt", "/developer_prompt", `/templates/${template}`, ...answers];
  const text = paths.map((path) => textAt(config, path)).join("\n");
  const names = new Set(text.match(/[A-Za-z_]\w*(?:\.\w+)*/g) ?? []);
  const isNamed = (name: string) =>
    [...names].some((one) => one === name || one.startsWith(`${name}.`));
  return variables.filter(
    (one) => isNamed(one.name) || (one.name === "chat.message" && names.has("message")),
  );
}

export const valueText = (example: Json): string =>
  typeof example === "string" ? example : JSON.stringify(example, null, 2);

/** Sections of names and values, as a preview takes them. What should be JSON and is none is a text. */
export function previewContext(
  variables: readonly Variable[],
  written: EnteredValues,
  own: Record<string, string>,
): Record<string, Record<string, Json>> {
  const context: Record<string, Record<string, Json>> = { [ROLE_SECTION]: own };
  for (const one of variables) {
    const name = one.name.slice(one.section.length + 1);
    (context[one.section] ??= {})[name] = valueOf(one, written[one.name]);
  }
  return context;
}

function valueOf(variable: Variable, text: string | undefined): Json {
  if (text === undefined) return variable.example;
  if (typeof variable.example === "string") return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
