import { Play, Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { sentenceOf } from "../lib/sentence";
import { packs, session, troubleOf, useSession, type Json, type NewRun, type Trouble } from "../session";
import { Code } from "../theme/parts/Code";
import { Dialog } from "../theme/parts/Dialog";
import { TroubleNotice } from "../theme/parts/TroubleNotice";
import { ModelChoice } from "./ModelChoice";
import { shownRun } from "./shown";

const DRIVERS = [
  { name: "rehearsal", title: "Rehearsal", help: "Made-up answers from a seed. No model, no cost." },
  { name: "script", title: "Script", help: "Answers you wrote down beforehand, in order." },
  { name: "manual", title: "Manual", help: "You answer as the model, here in the page." },
  { name: "model", title: "Model", help: "A real model answers, over a connection. It costs what it costs." },
] as const;

const LIMITS = [
  { name: "total_visits", title: "State visits" },
  { name: "model_calls", title: "Model calls" },
  { name: "tool_calls", title: "Tool calls" },
  { name: "wall_seconds", title: "Seconds" },
  { name: "tokens", title: "Tokens" },
  { name: "cost", title: "Cost (USD)" },
] as const;

const SCRIPT = '{\n  "replies": [],\n  "commands": [],\n  "answers": [],\n  "repeat_last": false\n}\n';
const PLACE = "signalbox.start";

interface Settings {
  driver: string;
  seed: string;
  delay: string;
  paused: boolean;
  inputs: [string, string][];
  budget: Record<string, string>;
  script: string;
  connection: string;
  model: string;
}

const FIRST: Settings = {
  driver: "rehearsal",
  seed: "1",
  delay: "400",
  paused: false,
  inputs: [],
  budget: {},
  script: SCRIPT,
  connection: "",
  model: "",
};

function remembered(pack: string): Settings {
  try {
    return { ...FIRST, ...(JSON.parse(localStorage.getItem(`${PLACE}.${pack}`) ?? "{}") as Partial<Settings>) };
  } catch {
    return FIRST;
  }
}

/** How to run: who answers, with which inputs, how far. The last settings of a pack are kept. */
export function StartDialog({ close, started }: { close: () => void; started: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const errors = useSession((state) => state.findings.filter((one) => one.level === "error").length);
  const [settings, setSettings] = useState(() => remembered(pack));
  const [problem, setProblem] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (patch: Partial<Settings>) => setSettings((now) => ({ ...now, ...patch }));
  useNeededInputs(pack, setSettings);

  const start = async () => {
    const body = bodyOf(pack, settings);
    if (typeof body === "string") return setProblem({ message: body, hint: "" });
    setBusy(true);
    try {
      await session.saved();
      await shownRun.start(body);
      localStorage.setItem(`${PLACE}.${pack}`, JSON.stringify(settings));
      close();
      started();
    } catch (error) {
      setProblem(troubleOf(error));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title="Run"
      onClose={close}
      onSubmit={() => void start()}
      footer={
        <>
          <label className="check start">
            <input type="checkbox" checked={settings.paused} onChange={(event) => set({ paused: event.target.checked })} />
            Start paused
          </label>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={busy}>
            <Play className="icon" aria-hidden /> {busy ? "Starting…" : "Run"}
          </button>
        </>
      }
    >
      {problem && <TroubleNotice {...problem} />}
      {errors > 0 && !problem && (
        <p className="notice warning">This pack has {errors === 1 ? "an error" : `${errors} errors`}; the run may stop early.</p>
      )}
      <Drivers chosen={settings.driver} choose={(driver) => set({ driver })} />
      {settings.driver === "model" ? (
        <ModelChoice connection={settings.connection} model={settings.model} change={set} />
      ) : (
        <div className="columns">
          <NumberField label="Seed" value={settings.seed} onChange={(seed) => set({ seed })} />
          <NumberField label="Delay per answer (ms)" value={settings.delay} onChange={(delay) => set({ delay })} />
        </div>
      )}
      {settings.driver === "script" && (
        <div className="field">
          <div className="field-label">Script</div>
          <Code label="Script" value={remembered(pack).script} language="json" onChange={(script) => set({ script })} />
          <div className="help">One reply per model call, one result per command, one answer per question, in order.</div>
        </div>
      )}
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
              onChange={(said) => set({ budget: { ...settings.budget, [name]: said } })}
            />
          ))}
        </div>
      </details>
    </Dialog>
  );
}

type SetSettings = (change: (settings: Settings) => Settings) => void;

/** A row for every input that a run of this pack has to bring. */
function useNeededInputs(pack: string, change: SetSettings): void {
  useEffect(() => {
    const add = (names: string[]) =>
      change((settings) => {
        const known = new Set(settings.inputs.map(([name]) => name));
        const rows = names.filter((name) => !known.has(name)).map((name): [string, string] => [name, ""]);
        return rows.length ? { ...settings, inputs: [...settings.inputs, ...rows] } : settings;
      });
    packs.inputs(pack).then(add, (error: unknown) => session.notifyError(error));
  }, [pack, change]);
}

function bodyOf(pack: string, settings: Settings): NewRun | string {
  const body: NewRun = {
    pack: Number(pack),
    driver: settings.driver,
    paused: settings.paused,
    inputs: Object.fromEntries(settings.inputs.filter(([name, value]) => name && value)),
  };
  const limits = Object.entries(settings.budget).filter(([, value]) => value !== "");
  if (limits.length > 0)
    body.budget = Object.fromEntries(limits.map(([name, value]) => [name, Number(value)]));
  if (settings.driver === "model") return { ...body, connection: settings.connection, model: settings.model.trim() };
  const paced = { ...body, seed: Number(settings.seed) || 0, delay_ms: Number(settings.delay) || 0 };
  if (settings.driver !== "script") return paced;
  try {
    return { ...paced, script: JSON.parse(settings.script) as Record<string, Json> };
  } catch (error) {
    return `The script is not JSON: ${sentenceOf(error)}`;
  }
}

function Drivers({ chosen, choose }: { chosen: string; choose: (name: string) => void }) {
  return (
    <fieldset className="drivers">
      <legend className="field-label">Who answers as the model</legend>
      {DRIVERS.map((driver) => (
        <label key={driver.name} className="driver">
          <input
            type="radio"
            name="driver"
            value={driver.name}
            checked={chosen === driver.name}
            onChange={() => choose(driver.name)}
          />
          <span>
            <b>{driver.title}</b>
            <span className="help">{driver.help}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function NumberField(props: { label: string; value: string; step?: string; onChange: (text: string) => void }) {
  return (
    <label className="field">
      <span className="field-label">{props.label}</span>
      <input type="number" min={0} step={props.step} value={props.value} onChange={(event) => props.onChange(event.target.value)} />
    </label>
  );
}

function Inputs({ inputs, onChange }: { inputs: [string, string][]; onChange: (inputs: [string, string][]) => void }) {
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
        <button type="button" className="button quiet small add" onClick={() => onChange([...inputs, ["", ""]])}>
          <Plus className="icon" aria-hidden /> Input
        </button>
      </div>
    </div>
  );
}
