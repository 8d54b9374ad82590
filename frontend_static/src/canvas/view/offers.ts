/** The events that a menu offers for an arrow, and its Enter key. */

import { useEffect, useEffectEvent, useState, type KeyboardEvent } from "react";
import { session, type Offer } from "../../session";
import { errorText } from "../../ui/errorText";
import { keyOf } from "../../ui/keys";
import { useRequest } from "../../ui/useRequest";

/** The events that may leave a state; null while they load, and the error without any. */
export function useOffers(source: string): { offers: Offer[] | null; problem: string } {
  const { value, error } = useRequest([source], async () => {
    // A state that was just named is known to the server only when it is saved.
    await session.whenSaved();
    return session.fetchOffers(source);
  });
  return error === null
    ? { offers: value, problem: "" }
    : { offers: NONE, problem: errorText(error) };
}
const NONE: Offer[] = [];

/** Save on Enter: at once if the events are known, else as soon as they are. */
export function useEnter(
  known: boolean,
  save: () => void,
): { enter: () => void; waiting: boolean } {
  const [waiting, setWaiting] = useState(false);
  const late = useEffectEvent(save);
  useEffect(() => {
    if (!waiting || !known) return;
    setWaiting(false);
    late();
  }, [waiting, known]);
  return { enter: () => (known ? save() : setWaiting(true)), waiting };
}

/** Enter, and nothing else that the key does: it must not press what gets the focus next. */
export const onEnter = (action: () => void) => (event: KeyboardEvent) => {
  if (keyOf(event) !== "Enter") return;
  event.preventDefault();
  if (!event.repeat) action();
};
