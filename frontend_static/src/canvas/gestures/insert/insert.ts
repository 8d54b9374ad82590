/** The edits of an insertion: the arrow leads to the inserted state, a new one to its old target. */

import type { Edit } from "../../../session";
import type { Insertion } from "../../view/stage";

export function insertEdits(
  insertion: Insertion,
  id: string,
  oldTarget: string,
  event: string,
  moves: Edit[],
): Edit[] {
  const { arrow, card } = insertion;
  const added: Edit[] = "kind" in card ? [{ type: "add_state", id, kind: card.kind }] : [];
  return [
    ...added,
    { type: "retarget", transition: arrow, target: id },
    { type: "connect", source: id, target: oldTarget, label: event },
    ...moves,
  ];
}
