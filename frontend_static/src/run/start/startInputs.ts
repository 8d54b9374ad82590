import { useEffect, useRef, useState } from "react";
import { packs, session, type RunInput, type RunStart } from "../../session";

/** Milliseconds between the last change of the model and the request of a new estimate. */
const TYPING_PAUSE = 250;

/**
 * The inputs of a run of the pack, an estimate of its use with this connection and model, and the
 * calls that a person approves; null until they are loaded. `settled` is true once they are loaded
 * or could not be.
 */
export function useStartInfo(
  pack: string | number,
  startedBy: string,
  connection = "",
  model = "",
): { info: RunStart | null; settled: boolean } {
  const [info, setInfo] = useState<RunStart | null>(null);
  const [settled, setSettled] = useState(false);
  const requested = useRef(false);
  useEffect(() => {
    let active = true;
    const load = () =>
      packs
        .start(String(pack), startedBy, { connection, model })
        .then((fetched) => active && setInfo(fetched), session.notifyError)
        .finally(() => active && setSettled(true));
    const timer = setTimeout(() => void load(), requested.current ? TYPING_PAUSE : 0);
    requested.current = true;
    return () => {
      active = false;
      clearTimeout(timer);
    };
  }, [pack, startedBy, connection, model]);
  return { info, settled };
}

/** The declared inputs that a run with these options uses. */
export function usedInputs(
  inputs: readonly RunInput[],
  options: Readonly<Record<string, string>>,
): RunInput[] {
  const chosen = new Set(Object.values(options));
  return inputs.filter(
    (one) => one.prompts.length === 0 || one.prompts.some((prompt) => chosen.has(prompt)),
  );
}

/** Names of the required inputs without a value and without a default. */
export function missingInputs(
  inputs: readonly RunInput[],
  values: readonly (readonly [string, string])[],
): string[] {
  const filled = new Set(values.filter(([, value]) => value.trim() !== "").map(([name]) => name));
  return inputs.filter((one) => one.required && !filled.has(one.name)).map((one) => one.name);
}
