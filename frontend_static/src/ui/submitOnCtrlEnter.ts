import type { KeyboardEvent } from "react";
import { sendsForm } from "./keys";

/** Ctrl+Enter sends a form, also from a field of several lines. */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (!sendsForm(event)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
