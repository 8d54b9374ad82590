/**
 * All gestures. The first one that returns a drag gets the pointer, and the context menu has their
 * entries in this order.
 */

import { addGesture } from "./add";
import { arrangeGesture } from "./arrange";
import { clipboardGesture } from "./clipboard";
import { connectGesture } from "./connect";
import { entryGesture } from "./entry";
import { fitGesture } from "./fit";
import type { Gesture } from "./gesture";
import { insertGesture } from "./insert";
import { undoGesture } from "./undo";
import { levelsGesture } from "./levels";
import { moveGesture } from "./move";
import { nudgeGesture } from "./nudge";
import { reconnectGesture } from "./reconnect";
import { removeGesture } from "./remove";
import { renameGesture } from "./rename";
import { searchGesture } from "./search";
import { selectGesture } from "./select";
import { tidyGesture } from "./tidy";
import { navigateGesture } from "./navigate";
import { zoomGesture } from "./zoom";

export const GESTURES: Gesture[] = [
  renameGesture,
  reconnectGesture,
  connectGesture,
  selectGesture,
  moveGesture,
  addGesture,
  insertGesture,
  entryGesture,
  levelsGesture,
  removeGesture,
  clipboardGesture,
  undoGesture,
  nudgeGesture,
  arrangeGesture,
  navigateGesture,
  searchGesture,
  fitGesture,
  zoomGesture,
  tidyGesture,
];
