import { useState } from "react";
import { packs, session, type RunInput, type RunStart } from "../../session";
import { useRequest } from "../../ui/useRequest";

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
  const [settled, setSettled] = useState(false);
  const { value: info, error } = useRequest(
    [pack, startedBy, connection, model],
    () => packs.start(String(pack), startedBy, { connection, model }),
    { pause: settled ? TYPING_PAUSE : 0, failed: session.notifyError },
  );
  if (!settled && (info ?? error) !== null) setSettled(true);
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
