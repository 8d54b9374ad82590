import { useEffect, useId } from "react";
import { closeText, openText, UNFINISHED } from "./typedTexts";

/** A short or secret text that is not kept: leaving the page asks first. */
export function useAsked(label: string, typed: boolean, status = UNFINISHED): void {
  const id = useId();
  useEffect(() => {
    if (!typed) return undefined;
    openText(id, { status: `${label}: ${status}`, asks: true });
    return () => closeText(id);
  }, [id, label, typed, status]);
}
