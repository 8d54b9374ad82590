/** A box on the canvas: a state with its place, or the stub of a target that does not exist. */

import type { State } from "../../session";
import type { Rect } from "./geometry";

export interface Box extends Rect {
  id: string;
  /** null: a stub; some arrow names this id but no state has it. */
  state: State | null;
  /** Never placed by a person: laid out here, written down with the first move. */
  unplaced: boolean;
}

export const movedTo = (box: Box, x: number, y: number): Box => ({ ...box, x, y });
