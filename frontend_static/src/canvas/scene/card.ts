/** A card on the canvas: a state with its position, or a stub for a target that does not exist, or
 * for the end of the run. */

import type { State } from "../../session";
import type { Rect } from "./geometry";

/** The target of a transition that ends the run. */
export const END = "";

export interface Card extends Rect {
  id: string;
  /** null for a stub: a transition names this id but no state has it. */
  state: State | null;
  /** The user has not placed it. Its automatic position is saved with the next move. */
  unplaced: boolean;
}
