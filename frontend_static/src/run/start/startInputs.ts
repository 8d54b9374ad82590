import { useEffect, useState } from "react";
import { packs, session, type RunInput, type RunStart } from "../../session";

/**
 * The inputs of a run of the pack and an estimate of its use, null until they are loaded.
 * `settled` is true once they are loaded or could not be.
 */
export function useStartInfo(
  pack: string,
  startedBy: string,
): { info: RunStart | null; settled: boolean } {
  const [info, setInfo] = useState<RunStart | null>(null);
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    let active = true;
    packs
      .start(pack, startedBy)
      .then((fetched) => active && setInfo(fetched), session.notifyError)
      .finally(() => active && setSettled(true));
    return () => {
      active = false;
    };
  }, [pack, startedBy]);
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
