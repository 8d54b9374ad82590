/** Every gesture. Earlier ones are asked first when the pointer begins to drag. */

import { add } from "./add";
import { clipboard } from "./clipboard";
import { connecting } from "./connect";
import { fit } from "./fit";
import type { Gesture } from "./gesture";
import { history } from "./undo";
import { levels } from "./levels";
import { move } from "./move";
import { nudging } from "./nudge";
import { reconnect } from "./reconnect";
import { removing } from "./remove";
import { renaming } from "./rename";
import { search } from "./search";
import { select } from "./select";
import { tidy } from "./tidy";
import { walk } from "./navigate";
import { zoom } from "./zoom";

export const GESTURES: Gesture[] = [
  reconnect,
  connecting,
  select,
  move,
  add,
  levels,
  renaming,
  removing,
  clipboard,
  history,
  nudging,
  walk,
  search,
  fit,
  zoom,
  tidy,
];
