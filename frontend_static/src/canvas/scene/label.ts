/** What stands in an arrow's pill: branches of one stem say their value, all others their label. */

import type { Transition } from "../../session";

export const labelOf = (arrow: Transition): string =>
  (arrow.kind === "conditional" && arrow.value) || arrow.label;
