import { Play, Plus, X } from "lucide-react";
import { useEffect, useState } from "react";
import { packs, session, troubleOf, useSession, type NewRun, type Trouble } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { TroubleNotice } from "../../ui/ErrorNotice";
import { stopsOfPack } from "../model/breakpoints";
import { ANSWERING, answeringBody, DriverChoice, NumberField, type Answering } from "./DriverFields";
import { RunMode, type Mode } from "./ModeField";
import { shownRun } from "../model/runStore";
import { StartFooter } from "./StartFooter";
import { ToolsLine } from "./ToolsLine";

const LIMITS = [
  { name: "total_visits", title: "State visits" },
  { name: "model_calls", title: "Model calls" },
  { name: "tool_calls", title: "Tool calls" },
  { name: "wall_seconds", title: "Seconds" },
  { name: "tokens", title: "Tokens" },
  { name: "cost", title: "Cost (USD)" },
] as const;

const PLACE = "signalbox.start";

interface Settings extends Answering {
  mode: Mode;
  paused: boolean;
  /** Pause at the breakpoints of the pack. */
  stops: boolean;
  commands: boolean;
  inputs: [string, string][];
  budget: Record<string, string>;
}

const FIRST: Settings = { ...ANSWERING, mode: "", paused: false, stops: true, commands: false, inputs: [], budget: {} };

function remembered(pack: string): Settings {
  try {
    return { ...FIRST, ...(JSON.parse(localStorage.getItem(`${PLACE}.${pack}`) ?? "{}") as Partial<Settings>) };
  } catch {
    return FIRST;
  }
}

/** That commands may run is said anew for each run. */
const keep = (pack: string | number, settings: Settings) =>
  localStorage.setItem(`${PLACE}.${pack}`, JSON.stringify({ ...settings, commands: false }));

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
      keep(pack, settings);
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
        <StartFooter paused={settings.paused} pause={(paused) => set({ paused })} close={close} busy={busy}>
          <Play className="icon" aria-hidden /> {busy ? "Starting…" : "Run"}
        </StartFooter>
      }
    >
      {problem && <TroubleNotice {...problem} />}
      {errors > 0 && !problem && (
        <p className="notice warning">This pack has {errors === 1 ? "an error" : `${errors} errors`}; the run may stop early.</p>
      )}
      <DriverChoice
        value={settings}
        change={set}
        legend="Who answers as the model"
        script={remembered(pack).script}
        scriptHelp="One reply per model call, one result per command, one answer per question, in order."
      />
      {settings.driver !== "rehearsal" && (
        <ToolsLine pack={pack} commands={settings.commands} allow={(commands) => set({ commands })} leave={() => keep(pack, settings)} />
      )}
      <Stops stops={settings.stops} change={(stops) => set({ stops })} />
      <RunMode mode={settings.mode} choose={(mode) => set({ mode })} />
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
  const answering = answeringBody(settings);
  if (typeof answering === "string") return answering;
  const body: NewRun = {
    pack: Number(pack),
    ...answering,
    paused: settings.paused,
    breakpoints: settings.stops ? stopsOfPack() : [],
    ...(settings.mode ? { mode: settings.mode } : {}),
    ...(settings.commands && settings.driver !== "rehearsal" ? { commands: true } : {}),
    inputs: Object.fromEntries(settings.inputs.filter(([name, value]) => name && value)),
  };
  const limits = Object.entries(settings.budget).filter(([, value]) => value !== "");
  if (limits.length > 0)
    body.budget = Object.fromEntries(limits.map(([name, value]) => [name, Number(value)]));
  return body;
}

/** Whether the run pauses where breakpoints were set on the canvas. */
function Stops({ stops, change }: { stops: boolean; change: (stops: boolean) => void }) {
  const places = stopsOfPack();
  if (places.length === 0) return null;
  return (
    <label className="check run-line">
      <input type="checkbox" checked={stops} onChange={(event) => change(event.target.checked)} />
      <span>
        Pause at {places.length === 1 ? "the breakpoint" : `the ${places.length} breakpoints`}{" "}
        <span className="help">{places.map(inWords).join(", ")}</span>
      </span>
    </label>
  );
}

function inWords(id: string): string {
  const arrow = session.state.whole.transitions.get(id);
  return arrow ? `${arrow.source} → ${arrow.target}` : id;
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
