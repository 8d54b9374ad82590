import { useEffect, useState } from "react";
import { packs, session, type RunInput, type RunStart } from "../../session";

/** The inputs of a run of the pack and an estimate of its use; null until they are loaded. */
export function useRunStart(pack: string, startedBy: string): RunStart | null {
  const [start, setStart] = useState<RunStart | null>(null);
  useEffect(() => {
    let active = true;
    packs.start(pack, startedBy).then(
      (fetched) => active && setStart(fetched),
      (error: unknown) => session.notifyError(error),
    );
    return () => {
      active = false;
    };
  }, [pack, startedBy]);
  return start;
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
