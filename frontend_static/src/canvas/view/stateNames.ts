/** The rules for ids of states on the shown level, and the nearest id that keeps them. */

import { freeId, idPrefix, paletteOf, session } from "../../session";
import { fitsPattern, nearestName } from "../../ui/names";
import type { NameProblem } from "./NameHint";

/**
 * The reason against an id, without the prefix of its level; null for one that can be used. `own`
 * is the id that the state has now.
 */
export function stateNameProblem(short: string, own = ""): NameProblem | null {
  const name = short.trim();
  if (!name) return { text: "A state needs a name.", nearest: "" };
  const { level, fullGraph } = session.state;
  const rule = paletteOf(session.state)[0];
  const prefix = idPrefix(level);
  const free = (id: string) => {
    const taken = { has: (full: string) => full !== own && fullGraph.states.has(full) };
    return freeId(prefix + id, taken).slice(prefix.length);
  };
  if (!fitsPattern(name, rule?.id_pattern ?? "")) {
    const nearest = nearestName(name, rule?.id_pattern ?? "");
    return { text: rule?.id_rule ?? "", nearest: nearest && free(nearest) };
  }
  const unused = free(name);
  return unused === name ? null : { text: `There is a state “${name}” already.`, nearest: unused };
}
