import { Play } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import {
  session,
  errorMessage,
  useSession,
  type NewRun,
  type RunOption,
  type ErrorMessage,
} from "../../session";
import { ApprovalLimitField, type ApprovalLimit } from "../../ui/ApprovalLimitField";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { packBreakpoints } from "../model/breakpoints";
import { DriverFields, NumberField } from "./DriverFields";
import { ModeField, type Mode } from "./ModeField";
import { runStore } from "../model/runStore";
import { StartedByField, type StartedBy } from "./StartedByField";
import { EstimateLine } from "./EstimateLine";
import { InputsField, inputId } from "./InputsField";
import { missingInputs, usedInputs, useStartInfo } from "./startInputs";
import { missingOption, OptionsField, useRunOptions } from "./OptionsField";
import { StartFooter } from "./StartFooter";
import { WorkspaceField } from "./WorkspaceField";
import { NO_WORKSPACE, workspaceBody, type WorkspaceSettings } from "./workspaceSettings";
import { ToolsLine } from "./ToolsLine";
import { againSettings } from "./againSettings";
import { DEFAULT_DRIVER, driverBody, type DriverSettings } from "./driverSettings";
import { useKept } from "../../ui/useKept";
import { Check } from "../../ui/Check";

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
  startedBy: StartedBy;
  paused: boolean;
  /** Pause at the pack's breakpoints. */
  useBreakpoints: boolean;
  commands: boolean;
  /** Tools whose calls this run makes without asking. */
  allowedTools: string[];
  workspace: WorkspaceSettings;
  inputs: [string, string][];
  /** Values of the pack's options, by name. */
  options: Record<string, string>;
  budget: Record<string, string>;
  /** The time limit of questions to people in the run; null for that of the pack. */
  approvalLimit: ApprovalLimit | null;
}

/** Settings as stored. There, `useBreakpoints` is named `stops`. */
type StoredSettings = Partial<Omit<Settings, "useBreakpoints">> & { stops?: boolean };

const DEFAULT_SETTINGS: Settings = {
  ...DEFAULT_DRIVER,
  mode: "",
  startedBy: "ticket",
  paused: false,
  useBreakpoints: true,
  commands: false,
  allowedTools: [],
  workspace: NO_WORKSPACE,
  inputs: [],
  options: {},
  budget: {},
  approvalLimit: null,
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

/** Permissions to run commands and to call tools are never stored. */
function storeSettings(pack: string | number, { useBreakpoints, ...settings }: Settings): void {
  const stored: StoredSettings = {
    ...settings,
    stops: useBreakpoints,
    commands: false,
    allowedTools: [],
  };
  localStorage.setItem(`${STORAGE_KEY}.${pack}`, JSON.stringify(stored));
}

/** The settings of a new run. A pack's last settings are stored in the browser. */
export function StartDialog({
  again,
  close,
  started,
}: {
  /** The id of a run whose inputs, limits and model are filled in; null for none. */
  again: string | null;
  close: () => void;
  started: () => void;
}) {
  const pack = useSession((state) => state.pack) ?? "";
  const errors = useSession(
    (state) => state.findings.filter((one) => one.level === "error").length,
  );
  const [settings, setSettings, drop, show] = useKept(`start ${pack}`, "Run", () =>
    loadSettings(pack),
  );
  const [script] = useState(settings.script);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (patch: Partial<Settings>) => setSettings((now) => ({ ...now, ...patch }));
  const fillIn = useEffectEvent((from: Partial<Settings>) => show((now) => ({ ...now, ...from })));
  useEffect(() => {
    if (again) againSettings(again).then(fillIn, (error: unknown) => session.notifyError(error));
  }, [again]);
  const options = useRunOptions(pack);
  const inputs = settings.inputs.filter(([name]) => !options.some((one) => one.name === name));
  const withModel = settings.driver === "model";
  const { info: known, settled } = useStartInfo(
    pack,
    settings.startedBy,
    withModel ? settings.connection : "",
    withModel ? settings.model.trim() : "",
  );
  const [queued, setQueued] = useState(false);
  const sending = useRef(false);
  const [tried, setTried] = useState(false);
  const simulates = settings.driver === "rehearsal";
  const declared = usedInputs(known?.inputs ?? [], settings.options);
  const missing = simulates ? [] : missingInputs(declared, inputs);

  const start = async () => {
    if (sending.current) return;
    if (!settled) return setQueued(true);
    setQueued(false);
    const unset = simulates ? undefined : missingOption(options, settings.options);
    if (!unset && missing.length > 0) {
      setTried(true);
      setProblem({ message: missingText(missing), hint: "A rehearsal generates what is missing." });
      document.getElementById(inputId(missing[0]!))?.focus();
      return;
    }
    const body = unset
      ? `Choose a value for ${unset.title}.`
      : bodyOf(pack, options, { ...settings, inputs });
    if (typeof body === "string") return setProblem({ message: body, hint: "" });
    setBusy((sending.current = true));
    try {
      await session.whenSaved();
      await runStore.start(body);
      storeSettings(pack, settings);
      drop();
      close();
      started();
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy((sending.current = false));
  };
  const startQueued = useEffectEvent(() => {
    if (queued) void start();
  });
  useEffect(() => {
    if (settled) startQueued();
  }, [settled]);
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
          busy={busy || queued}
          // Inputs that arrive while the button is held down move it away from the pointer.
          onPress={() => !settled && setQueued(true)}
        >
          <Play className="icon" aria-hidden /> {busy || queued ? "Starting…" : "Run"}
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
        script={script}
        scriptHelp="One reply per model call, one result per command, one answer per question, in order."
      />
      {withModel && known && <EstimateLine estimate={known.estimate} />}
      <OptionsField
        options={options}
        values={settings.options}
        change={(values) => set({ options: values })}
      />
      <InputsField
        declared={declared}
        inputs={inputs}
        change={(inputs) => set({ inputs })}
        missing={tried ? missing : []}
        simulates={simulates}
      />
      {settings.driver !== "rehearsal" && (
        <ToolsLine
          pack={pack}
          commands={settings.commands}
          allow={(commands) => set({ commands })}
          leave={() => storeSettings(pack, settings)}
          approvals={known?.approvals ?? []}
          allowed={{
            names: settings.allowedTools,
            change: (allowedTools) => set({ allowedTools }),
          }}
        />
      )}
      {settings.driver !== "rehearsal" && (
        <WorkspaceField
          pack={pack}
          value={settings.workspace}
          change={(workspace) => set({ workspace })}
        />
      )}
      <BreakpointsField
        checked={settings.useBreakpoints}
        change={(useBreakpoints) => set({ useBreakpoints })}
      />
      <ModeField mode={settings.mode} choose={(mode) => set({ mode })} />
      <StartedByField value={settings.startedBy} choose={(startedBy) => set({ startedBy })} />
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
        {settings.driver !== "rehearsal" && (
          <ApprovalLimitField
            value={settings.approvalLimit}
            otherwise="As for the state and the pack"
            change={(approvalLimit) => set({ approvalLimit })}
          />
        )}
      </details>
    </Dialog>
  );
}

function missingText(names: readonly string[]): string {
  const list = names.map((name) => `“${name}”`).join(", ");
  return `The run needs ${names.length === 1 ? "the input" : "the inputs"} ${list}.`;
}

function bodyOf(pack: string, options: readonly RunOption[], settings: Settings): NewRun | string {
  const answering = driverBody(settings);
  if (typeof answering === "string") return answering;
  const body: NewRun = {
    pack: Number(pack),
    ...answering,
    paused: settings.paused,
    breakpoints: settings.useBreakpoints ? packBreakpoints() : [],
    ...(settings.mode ? { mode: settings.mode } : {}),
    ...(settings.startedBy === "chat" ? { started_by: "chat" as const } : {}),
    ...(settings.commands && settings.driver !== "rehearsal" ? { commands: true } : {}),
    ...(settings.allowedTools.length > 0 && settings.driver !== "rehearsal"
      ? { allowed_tools: settings.allowedTools }
      : {}),
    ...(settings.driver === "rehearsal" ? {} : workspaceBody(settings.workspace)),
    ...(settings.driver !== "rehearsal" && settings.approvalLimit
      ? { approval_limit: settings.approvalLimit }
      : {}),
    inputs: Object.fromEntries(
      [
        ...options.map((one): [string, string] => [one.name, settings.options[one.name] ?? ""]),
        ...settings.inputs,
      ].filter(([name, value]) => name && value),
    ),
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
    <Check kind="run-line" on={checked} set={change}>
      <span>
        Pause at {places.length === 1 ? "the breakpoint" : `the ${places.length} breakpoints`}{" "}
        <span className="help">{places.map(elementText).join(", ")}</span>
      </span>
    </Check>
  );
}

function elementText(id: string): string {
  const arrow = session.state.fullGraph.transitions.get(id);
  return arrow ? `${arrow.source} → ${arrow.target}` : id;
}
