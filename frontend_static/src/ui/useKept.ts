import { useEffect, useEffectEvent, useRef, useState } from "react";
import { closeText, dropTyped, keepTyped, keptTyped, openText } from "./typedTexts";

/**
 * The state of a form that a person fills in and sends. It is kept in the browser until `drop`, so
 * that a closed dialog, a reload or another page lose nothing of it.
 */
export function useKept<T>(
  key: string,
  label: string,
  initial: () => T,
): [
  value: T,
  set: (value: T | ((now: T) => T)) => void,
  drop: () => void,
  /** Set a value without keeping it, because it was not typed. */
  show: (value: T | ((now: T) => T)) => void,
] {
  const [value, setValue] = useState<T>(() => keptTyped<T>(key) ?? initial());
  const now = useRef(value);
  const [first] = useState(() => JSON.stringify(initial()));
  const open = () => openText(key, { status: `${label}: not sent yet` });
  const openKept = useEffectEvent(() => {
    if (keptTyped(key) !== null) open();
  });
  useEffect(() => {
    openKept();
    return () => closeText(key);
  }, [key]);
  const show = (next: T | ((now: T) => T)) => {
    now.current = typeof next === "function" ? (next as (now: T) => T)(now.current) : next;
    setValue(now.current);
  };
  const set = (next: T | ((now: T) => T)) => {
    show(next);
    if (JSON.stringify(now.current) === first) return drop();
    keepTyped(key, now.current);
    open();
  };
  const drop = () => {
    dropTyped(key);
    closeText(key);
  };
  return [value, set, drop, show];
}
