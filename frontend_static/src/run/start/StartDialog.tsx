import { Play, Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import {
  packs,
  session,
  errorMessage,
  useSession,
  type NewRun,
  type ErrorMessage,
} from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { packBreakpoints } from "../model/breakpoints";
import { DriverFields, NumberField } from "./DriverFields";
import { ModeField, type Mode } from "./ModeField";
import { runStore } from "../model/runStore";
import { StartFooter } from "./StartFooter";
import { ToolsLine } from "./ToolsLine";
import { DEFAULT_DRIVER, driverBody, type DriverSettings } from "./driverSettings";

const LIMITS = [
  { name: "total_visits", title: "State visits" },
  { name: "model_calls", title: "Model calls" },
  { name: "tool_calls", title: "Tool calls" },
  { name: "wall_seconds", title: "Seconds" },
  { name: "tokens", title: "Tokens" },
  { name: "cost", title: "Cost (USD)" },
] as const;

const STORAGE_KEY = "signalbox.start";

interface Settings extends DriverSettings {
  mode: Mode;
  paused: boolean;
  /** Pause at the pack's breakpoints. */
  useBreakpoints: boolean;
  commands: boolean;
  inputs: [string, string][];
  budget: Record<string, string>;
}

/** Settings as stored. There, `useBreakpoints` is named `stops`. */
type StoredSettings = Partial<Omit<Settings, "useBreakpoints">> & { stops?: boolean };

const DEFAULT_SETTINGS: Settings = {
  ...DEFAULT_DRIVER,
  mode: "",
  paused: false,
  useBreakpoints: true,
  commands: false,
  inputs: [],
  budget: {},
};

function loadSettings(pack: string): Settings {
  try {
    const text = localStorage.getItem(`${STORAGE_KEY}.${pack}`) ?? "{}";
    const { stops: useBreakpoints = true, ...stored } = JSON.parse(text) as StoredSettings;
    return { ...DEFAULT_SETTINGS, ...stored, useBreakpoints };
  } catch {
    return DEFAULT_SETTINGS;
  }
}

/** Permission to run commands is never stored. */
function storeSettings(pack: string | number, { useBreakpoints, ...settings }: Settings): void {
  const stored: StoredSettings = { ...settings, stops: useBreakpoints, commands: false };
  localStorage.setItem(`${STORAGE_KEY}.${pack}`, JSON.stringify(stored));
}

/** The settings of a new run. A pack's last settings are stored in the browser. */
export function StartDialog({ close, started }: { close: () => void; started: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const errors = useSession(
    (state) => state.findings.filter((one) => one.level === "error").length,
  );
  const [settings, setSettings] = useState(() => loadSettings(pack));
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (patch: Partial<Settings>) => setSettings((now) => ({ ...now, ...patch }));
  useNeededInputs(pack, setSettings);

  const start = async () => {
    const body = bodyOf(pack, settings);
    if (typeof body === "string") return setProblem({ message: body, hint: "" });
    setBusy(true);
    try {
      await session.whenSaved();
      await runStore.start(body);
      storeSettings(pack, settings);
      close();
      started();
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title="Run"
      onClose={close}
      onSubmit={() => void start()}
      footer={
        <StartFooter
          paused={settings.paused}
          pause={(paused) => set({ paused })}
          close={close}
          busy={busy}
        >
          <Play className="icon" aria-hidden /> {busy ? "Starting…" : "Run"}
        </StartFooter>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      {errors > 0 && !problem && (
        <p className="notice warning">
          This pack has {errors === 1 ? "an error" : `${errors} errors`}; the run may stop early.
        </p>
      )}
      <DriverFields
        value={settings}
        change={set}
        legend="Driver"
        script={loadSettings(pack).script}
        scriptHelp="One reply per model call, one result per command, one answer per question, in order."
      />
      {settings.driver !== "rehearsal" && (
        <ToolsLine
          pack={pack}
          commands={settings.commands}
          allow={(commands) => set({ commands })}
          leave={() => storeSettings(pack, settings)}
        />
      )}
      <BreakpointsField
        checked={settings.useBreakpoints}
        change={(useBreakpoints) => set({ useBreakpoints })}
      />
      <ModeField mode={settings.mode} choose={(mode) => set({ mode })} />
      <Inputs inputs={settings.inputs} onChange={(inputs) => set({ inputs })} />
      <details className="field">
        <summary className="field-label">Limits</summary>
        <div className="columns">
          {LIMITS.map(({ name, title }) => (
            <NumberField
              key={name}
              label={title}
              step={name === "cost" ? "any" : "1"}
              value={settings.budget[name] ?? ""}
              onChange={(limit) => set({ budget: { ...settings.budget, [name]: limit } })}
            />
          ))}
        </div>
      </details>
    </Dialog>
  );
}

type SetSettings = (change: (settings: Settings) => Settings) => void;

/** Add a row for each input that the pack requires. */
function useNeededInputs(pack: string, change: SetSettings): void {
  useEffect(() => {
    const add = (names: string[]) =>
      change((settings) => {
        const existing = new Set(settings.inputs.map(([name]) => name));
        const rows = names
          .filter((name) => !existing.has(name))
          .map((name): [string, string] => [name, ""]);
        return rows.length ? { ...settings, inputs: [...settings.inputs, ...rows] } : settings;
      });
    packs.inputs(pack).then(add, (error: unknown) => session.notifyError(error));
  }, [pack, change]);
}

function bodyOf(pack: string, settings: Settings): NewRun | string {
  const answering = driverBody(settings);
  if (typeof answering === "string") return answering;
  const body: NewRun = {
    pack: Number(pack),
    ...answering,
    paused: settings.paused,
    breakpoints: settings.useBreakpoints ? packBreakpoints() : [],
    ...(settings.mode ? { mode: settings.mode } : {}),
    ...(settings.commands && settings.driver !== "rehearsal" ? { commands: true } : {}),
    inputs: Object.fromEntries(settings.inputs.filter(([name, value]) => name && value)),
  };
  const limits = Object.entries(settings.budget).filter(([, value]) => value !== "");
  if (limits.length > 0)
    body.budget = Object.fromEntries(limits.map(([name, value]) => [name, Number(value)]));
  return body;
}

/** The choice to pause at the breakpoints set on the canvas. */
function BreakpointsField({
  checked,
  change,
}: {
  checked: boolean;
  change: (checked: boolean) => void;
}) {
  const places = packBreakpoints();
  if (places.length === 0) return null;
  return (
    <label className="check run-line">
      <input type="checkbox" checked={checked} onChange={(event) => change(event.target.checked)} />
      <span>
        Pause at {places.length === 1 ? "the breakpoint" : `the ${places.length} breakpoints`}{" "}
        <span className="help">{places.map(elementText).join(", ")}</span>
      </span>
    </label>
  );
}

function elementText(id: string): string {
  const arrow = session.state.fullGraph.transitions.get(id);
  return arrow ? `${arrow.source} → ${arrow.target}` : id;
}

function Inputs({
  inputs,
  onChange,
}: {
  inputs: [string, string][];
  onChange: (inputs: [string, string][]) => void;
}) {
  return (
    <div className="field">
      <div className="field-label">Inputs</div>
      {inputs.map(([name, value], index) => (
        <div className="row" key={index}>
          <input
            className="mono"
            aria-label={`Name of input ${index + 1}`}
            placeholder="name"
            value={name}
            onChange={(event) => onChange(inputs.with(index, [event.target.value, value]))}
          />
          <input
            aria-label={`Value of input ${name || index + 1}`}
            placeholder="value"
            value={value}
            onChange={(event) => onChange(inputs.with(index, [name, event.target.value]))}
          />
          <button
            type="button"
            className="button quiet small icon-only"
            aria-label={`Remove input ${name || index + 1}`}
            onClick={() => onChange(inputs.filter((_one, at) => at !== index))}
          >
            <X className="icon" aria-hidden />
          </button>
        </div>
      ))}
      <div>
        <button
          type="button"
          className="button quiet small add"
          onClick={() => onChange([...inputs, ["", ""]])}
        >
          <Plus className="icon" aria-hidden /> Input
        </button>
      </div>
    </div>
  );
}
