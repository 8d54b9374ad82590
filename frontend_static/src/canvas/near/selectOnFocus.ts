/** Select an element on keyboard focus. A click selects by itself and must not do so twice. */

import type { FocusEvent } from "react";
import { session } from "../../session";

export const selectOnKeyboardFocus = (element: string) => (event: FocusEvent) => {
  if (event.currentTarget.matches(":focus-visible") && !session.state.selection.has(element))
    session.select([element]);
};
