/** Cursor and selection follow each other. */

import { useEffect, useState } from "react";
import { packs, session, useSession, type TextRange } from "../../session";
import { panels } from "../panelState";

/** The element that the cursor selected last. Its selection does not move the cursor again. */
let atCursor = "";

/**
 * Select what the cursor is in: the drawn element, or an object with the states that use it or the
 * drawn element that contains it.
 */
export function selectAtCursor(elements: string[]): void {
  const element = elements[0] ?? "pack";
  atCursor = element;
  if (session.state.element === element) return;
  if (/^(state|transition):/.test(element)) {
    session.focus(element);
    if (elements.length > 1) session.select(elements, element);
    return;
  }
  const key = element.slice(element.indexOf(":") + 1);
  const around = elements.find((one) => /^(state|transition):/.test(one));
  const users = [...session.state.graph.states.values()].filter((state) => state.role === key);
  if (around) session.focus(around);
  session.select(
    around
      ? [around]
      : element.startsWith("prompt:")
        ? users.map((state) => `state:${state.id}`)
        : [],
    element,
  );
}

/** The selected element, if its text is in the shown file; otherwise its file is shown. */
export function useFollowedElement(
  path: string | undefined,
  ranges: readonly TextRange[],
): { element: string; n: number } | null {
  const element = useSession((state) => state.element);
  const [reveal, setReveal] = useState<{ element: string; n: number } | null>(null);
  useEffect(() => {
    if (!path || !ranges.length || element === "pack") return undefined;
    if (element === atCursor || ranges.some((one) => one.element === element)) {
      setReveal((before) => ({ element, n: (before?.n ?? 0) + 1 }));
      return undefined;
    }
    const { pack } = session.state;
    let active = true;
    if (pack !== null && !element.startsWith("file:"))
      packs.fields(pack, element).then(
        (form) => {
          if (active && form.path && form.path !== path)
            panels.set({ file: form.path, jump: null });
        },
        () => undefined, // An element without a form has no text.
      );
    return () => {
      active = false;
    };
  }, [element, path, ranges]);
  return reveal;
}
