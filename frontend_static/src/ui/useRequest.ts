import { useEffect, useEffectEvent, useState } from "react";

interface Answer<T> {
  /** The last good answer, also while the next one loads. */
  value: T | null;
  /** The error of the last request; null if it succeeded. */
  error: unknown;
  /** No answer to the present key has arrived. */
  stale: boolean;
}

/**
 * The answer to a request, which is sent again when its key changes, and not while that is null.
 * An answer that arrives after the next request counts no more. `pause` is in milliseconds, for keys
 * that a person types.
 */
export function useRequest<T>(
  key: readonly unknown[] | null,
  load: (signal: AbortSignal) => Promise<T>,
  { pause = 0, failed }: { pause?: number; failed?: (error: unknown) => void } = {},
): Answer<T> {
  const of = key && JSON.stringify(key);
  const [answer, setAnswer] = useState({ of: "", value: null as T | null, error: null as unknown });
  const ask = useEffectEvent((signal: AbortSignal) => load(signal));
  const fail = useEffectEvent((error: unknown) => failed?.(error));
  const wait = useEffectEvent((act: () => void) => (pause ? setTimeout(act, pause) : act()));
  useEffect(() => {
    if (of === null) return undefined;
    const stop = new AbortController();
    const timer = wait(() => {
      ask(stop.signal).then(
        (value) => stop.signal.aborted || setAnswer({ of, value, error: null }),
        (error: unknown) => {
          if (stop.signal.aborted) return;
          setAnswer(({ value }) => ({ of, value, error }));
          fail(error);
        },
      );
    });
    return () => {
      stop.abort();
      if (timer) clearTimeout(timer);
    };
  }, [of]);
  return { value: answer.value, error: answer.error, stale: answer.of !== of };
}
