import { useEffect, useRef, useState } from "react";

/**
 * A draft of a field's text that follows the file until the user types. An untouched field commits
 * nothing, even if the file has changed.
 */
export function useDraft(saved: string) {
  const [draft, setDraft] = useState(saved);
  const [problem, setProblem] = useState<string | null>(null);
  const touched = useRef(false);
  useEffect(() => {
    if (touched.current) return;
    setDraft(saved);
    setProblem(null);
  }, [saved]);
  const type = (text: string) => {
    touched.current = true;
    setDraft(text);
  };
  const reset = (text = saved) => {
    touched.current = false;
    setDraft(text);
    setProblem(null);
  };
  /** The text to commit; null if nothing was typed or the file has the same text. */
  const takeChange = (): string | null => {
    const typed = touched.current && draft !== saved;
    touched.current = false;
    if (!typed) reset();
    return typed ? draft : null;
  };
  return { draft, type, reset, takeChange, problem, setProblem };
}
