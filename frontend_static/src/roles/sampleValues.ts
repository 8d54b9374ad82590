/** Sample values of the preview's variables. */

import type { Json } from "../api/types";
import { textAt, type Config, type Variable } from "./promptConfig";

/** Variable → value entered by the user. Other variables have their example. */
export type EnteredValues = Readonly<Record<string, string>>;

/** The section whose values come from the role itself. */
const ROLE_SECTION = "role_local";

/** Variables that have a value in this kind of work (`task` is a key of `templates`). */
export function variablesWithValue(variables: readonly Variable[], task: string): Variable[] {
  const sent = ["/system_prompt", `/templates/${task}`];
  return variables.filter(
    (one) => one.section !== ROLE_SECTION && one.places.some((place) => sent.includes(place)),
  );
}

/**
 * The variables that the sent texts name, including a text that is sent as a fallback, and the
 * state's own prompt, which is sent in any case.
 */
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
  const statePrompt = task === "gate_eval" ? "gate.criteria" : "step.prompt";
  return variables.filter(
    (one) =>
      isNamed(one.name) ||
      one.name === statePrompt ||
      (one.name === "chat.message" && names.has("message")),
  );
}

export const valueText = (example: Json): string =>
  typeof example === "string" ? example : JSON.stringify(example, null, 2);

/** The values by section, as a preview takes them. Invalid JSON is sent as text. */
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
