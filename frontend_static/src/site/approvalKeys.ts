/** Keys of the approvals page: j and k move, a approves, d denies, e edits, Enter opens the run. */

import { isTyping, keyOf, withCtrl } from "../ui/keys";

type CardAction = (card: HTMLElement) => void;

const KEY_ACTIONS: Readonly<Record<string, CardAction>> = {
  a: (card) => {
    const yes = card.querySelector<HTMLButtonElement>("[data-yes]");
    if (yes) yes.click();
    else if (!unfold(card, "[data-edit]"))
      card.querySelector<HTMLElement>("button[name=event]")?.focus();
  },
  d: (card) => void unfold(card, "[data-deny]"),
  e: (card) => void unfold(card, "[data-edit]"),
  Enter: (card) => card.querySelector<HTMLAnchorElement>("[data-open]")?.click(),
};

export function listenForApprovalKeys(queue: HTMLElement): void {
  document.addEventListener("keydown", (event) => {
    if (withCtrl(event) || event.altKey) return;
    const at = event.target as HTMLElement;
    const here = at.closest<HTMLElement>("[data-approval]");
    const key = keyOf(event);
    if (key === "Escape" && here && at !== here) return back(here, event);
    if (isTyping(at)) return;
    if (key === "j" || key === "k") return move(queue, here, key === "j" ? 1 : -1, event);
    const act = KEY_ACTIONS[key];
    if (!act || !here || (key === "Enter" && at !== here)) return;
    event.preventDefault();
    act(here);
  });
}

function move(
  queue: HTMLElement,
  here: HTMLElement | null,
  by: number,
  event: KeyboardEvent,
): void {
  const all = [...queue.querySelectorAll<HTMLElement>("[data-approval]")];
  const place = here ? all.indexOf(here) + by : 0;
  const next = all[Math.max(0, Math.min(all.length - 1, place))];
  if (!next) return;
  event.preventDefault();
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function unfold(card: HTMLElement, which: string): boolean {
  const details = card.querySelector<HTMLDetailsElement>(which);
  if (!details) return false;
  details.open = true;
  details.querySelector<HTMLElement>("textarea, input:not([type=hidden])")?.focus();
  return true;
}

/** Return from a field to its card and close its forms. */
function back(card: HTMLElement, event: KeyboardEvent): void {
  event.preventDefault();
  for (const details of card.querySelectorAll<HTMLDetailsElement>(".ways details"))
    details.open = false;
  card.focus();
}
