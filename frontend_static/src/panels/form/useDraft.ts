import { useEffect, useRef, useState } from "react";

/**
 * A draft that follows the file until somebody types in it. Leaving a field untouched commits nothing,
 * even where the file has changed meanwhile.
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
  /** What to commit; null where nothing was typed or the file says the same already. */
  const takeChange = (): string | null => {
    const typed = touched.current && draft !== saved;
    touched.current = false;
    if (!typed) reset();
    return typed ? draft : null;
  };
  return { draft, type, reset, takeChange, problem, setProblem };
}
