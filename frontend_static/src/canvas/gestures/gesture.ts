/**
 * The interface of a gesture. Each gesture has its own folder, exports one object and imports no
 * other gesture. `pointer.ts` calls them in the order of `registry.ts`.
 */

import type { ComponentType } from "react";
import type { Command, MenuEntry, MenuPlace } from "../../session";
import type { Point } from "../scene/geometry";
import type { Hit } from "../view/hitTest";
import type { Stage } from "../view/stage";

/** A pointer event with the element under it and its position in the scene. */
export interface PointerInput {
  stage: Stage;
  event: MouseEvent;
  hit: Hit;
  point: Point;
}

/** A drag in progress. */
export interface Drag {
  move(touch: PointerInput): void;
  drop(touch: PointerInput): void;
  cancel(): void;
}

export interface Gesture {
  name: string;
  /** The pointer is pressed, or a finger has tapped. Every gesture is called. */
  down?(touch: PointerInput): void;
  /**
   * The pressed pointer has moved. The first gesture that returns a drag owns the pointer until
   * release.
   */
  drag?(start: PointerInput): Drag | null;
  /** True if pressing the pointer here must not pan the canvas. */
  holds?(touch: PointerInput): boolean;
  /** The pointer was pressed and released without moving. */
  click?(touch: PointerInput): void;
  doubleClick?(touch: PointerInput): void;
  commands?(stage: Stage): Command[];
  /** Entries of the context menu. The element of the place is selected. */
  menu?(place: MenuPlace, stage: Stage): MenuEntry[];
  /** An overlay that the gesture renders on the canvas. */
  Layer?: ComponentType;
}
