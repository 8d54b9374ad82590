import { errorText } from "../../ui/errorText";
import type { Json, NewRun } from "../../session";

const SCRIPT =
  '{\n  "replies": [],\n  "commands": [],\n  "answers": [],\n  "repeat_last": false\n}\n';

/** The driver of a run with its settings. */
export interface DriverSettings {
  driver: string;
  seed: string;
  delay: string;
  script: string;
  connection: string;
  model: string;
}

export const DEFAULT_DRIVER: DriverSettings = {
  driver: "rehearsal",
  seed: "1",
  delay: "400",
  script: SCRIPT,
  connection: "",
  model: "",
};

const textField = (name: string, text: string) => (text === "" ? {} : { [name]: text });

const numberField = (name: string, text: string) =>
  text === "" ? {} : { [name]: Number(text) || 0 };

/**
 * The driver's fields of a request, without empty numbers; an error message if the script is not
 * JSON.
 */
export function driverBody(
  value: DriverSettings,
): Pick<NewRun, "driver" | "connection" | "model" | "seed" | "delay_ms" | "script"> | string {
  const { driver } = value;
  if (driver === "model")
    return {
      driver,
      ...textField("connection", value.connection),
      ...textField("model", value.model.trim()),
    };
  const paced = {
    driver,
    ...numberField("seed", value.seed),
    ...numberField("delay_ms", value.delay),
  };
  if (driver !== "script") return paced;
  try {
    return { ...paced, script: JSON.parse(value.script) as Record<string, Json> };
  } catch (error) {
    return `The script is not JSON: ${errorText(error)}`;
  }
}
