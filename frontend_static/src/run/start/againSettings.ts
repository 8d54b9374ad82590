/** The settings of an earlier run, for one more with the same inputs. */

import { runs } from "../../session";
import type { Mode } from "./ModeField";

export interface AgainSettings {
  driver: string;
  connection: string;
  model: string;
  mode: Mode;
  inputs: [string, string][];
  options: Record<string, string>;
  budget: Record<string, string>;
}

/** Logs of older releases lack all but the inputs. Scripts and permissions are not copied. */
export async function againSettings(id: string): Promise<Partial<AgainSettings>> {
  const [run, { events }] = await Promise.all([runs.get(id), runs.events(id, 0, 1)]);
  const started = (events[0] ?? {}) as unknown as Record<string, unknown>;
  const inputs = started.inputs as Record<string, string> | undefined;
  const budget = started.budget as Record<string, number> | undefined;
  return {
    driver: run.driver,
    connection: String(started.connection ?? ""),
    model: String(started.model ?? ""),
    mode: (started.mode ?? "") as Mode,
    inputs: Object.entries(inputs ?? {}),
    options: inputs ?? {},
    budget: Object.fromEntries(
      Object.entries(budget ?? {}).map(([name, limit]) => [name, String(limit)]),
    ),
  };
}
