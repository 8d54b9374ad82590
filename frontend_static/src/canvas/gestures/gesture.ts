/**
 * What a gesture is: something a hand or a key does on the canvas. Each lives in its own folder,
 * declares one object, and knows no other. `pointer.ts` asks them in the order of `all.ts`.
 */

import type { ComponentType } from "react";
import type { Command } from "../../session";
import type { Point } from "../scene/geometry";
import type { Hit } from "../view/hitTest";
import type { Stage } from "../view/stage";

/** The pointer somewhere: what is under it, and where that is on the page and in the scene. */
export interface PointerInput {
  stage: Stage;
  event: MouseEvent;
  hit: Hit;
  point: Point;
}

/** A pointer that is held down and has moved. */
export interface Drag {
  move(touch: PointerInput): void;
  drop(touch: PointerInput): void;
  cancel(): void;
}

export interface Gesture {
  name: string;
  /** The pointer goes down. Nothing is taken yet; every gesture hears it. */
  down?(touch: PointerInput): void;
  /** The pointer has moved while down: the first gesture that answers has it until it is let go. */
  drag?(start: PointerInput): Drag | null;
  /** True when the pointer going down here must not pan the canvas. */
  holds?(touch: PointerInput): boolean;
  /** Down and up without moving. */
  click?(touch: PointerInput): void;
  doubleClick?(touch: PointerInput): void;
  commands?(stage: Stage): Command[];
  /** What it shows over the canvas while it goes on. */
  Layer?: ComponentType;
}
