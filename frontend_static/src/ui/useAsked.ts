import { useEffect, useId } from "react";
import { closeText, openText, UNFINISHED } from "./typedTexts";

/** A short text, such as a name in a menu, that is not kept: leaving the page asks first. */
export function useAsked(label: string, typed: boolean): void {
  const id = useId();
  useEffect(() => {
    if (!typed) return undefined;
    openText(id, { status: `${label}: ${UNFINISHED}`, asks: true });
    return () => closeText(id);
  }, [id, label, typed]);
}
