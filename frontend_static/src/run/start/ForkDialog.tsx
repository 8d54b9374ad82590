import { GitFork } from "lucide-react";
import { useEffect, useState } from "react";
import {
  packs,
  runs,
  session,
  errorMessage,
  useFetched,
  type NewFork,
  type Run,
  type ErrorMessage,
} from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { DriverFields } from "./DriverFields";
import { ModeField, type Mode } from "./ModeField";
import { useStartInfo } from "./startInputs";
import { StartFooter } from "./StartFooter";
import { ToolsLine } from "./ToolsLine";
import { DEFAULT_DRIVER, driverBody, type DriverSettings } from "./driverSettings";
import { useKept } from "../../ui/useKept";
import { siteUrl } from "../../ui/siteUrl";

/** Without a script, the recorded one is used. */
type ForkedDriver = Omit<DriverSettings, "script"> & { script?: string };

const SCRIPT_HELP =
  "Every answer from the start of the run, as it was recorded: those up to the event are skipped, the rest is yours to change.";
const OWN_SCRIPT_HELP =
  "The answers of this run. Unchanged, its own script continues; once edited, this script is used.";
const SAME_MODE = {
  title: "As in this run",
  help: "The mode that this run was started in, if it was in one.",
};

/** Forks a run at an event: driver, revision and mode of the new run. `driver`: the one at first. */
export function ForkDialog({
  run,
  at,
  driver = run.driver,
  close,
}: {
  run: Run;
  at: number;
  driver?: string;
  close: () => void;
}) {
  const [typed, setTyped, drop] = useKept<ForkedDriver>(`run ${run.id} fork ${at}`, "Fork", () => ({
    driver,
    connection: "",
    model: "",
    seed: "",
    delay: "",
  }));
  const [keptScript] = useState(typed.script);
  const [revision, setRevision] = useState(run.revision);
  const [mode, setMode] = useState<Mode>("");
  const [commands, setCommands] = useState(false);
  const [paused, setPaused] = useState(false);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState(false);
  const { info: known } = useStartInfo(run.pack, "ticket");
  const recorded = useRecordedScript(run.id, typed.driver === "script");
  const answering: DriverSettings = { ...typed, script: typed.script ?? recorded };
  const fork = async () => {
    const driver = driverBody(answering);
    if (typeof driver === "string") return setProblem({ message: driver, hint: "" });
    if (run.driver === "script" && answering.script === recorded) delete driver.script;
    setBusy(true);
    try {
      const body: NewFork = {
        at: Math.max(1, at),
        ...driver,
        paused,
        revision,
        ...(mode ? { mode } : {}),
      };
      if (commands && answering.driver !== "rehearsal") body.commands = true;
      const forked = await runs.fork(run.id, body);
      drop();
      location.assign(siteUrl(`/runs/${forked.run.id}/`));
    } catch (error) {
      setProblem(errorMessage(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Fork this run"
      onClose={close}
      onSubmit={() => void fork()}
      footer={
        <StartFooter paused={paused} pause={setPaused} close={close} busy={busy}>
          <GitFork className="icon" aria-hidden /> {busy ? "Forking…" : "Fork"}
        </StartFooter>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      <p className="help">
        A new run starts with events 1 to {at} of this one and continues by itself. Answers up to
        there are reused; if a step is in progress at event {at}, the run starts before that step.
      </p>
      <RevisionField run={run} value={revision} change={setRevision} />
      <DriverFields
        value={answering}
        change={(what) => setTyped((now) => ({ ...now, ...what }))}
        legend="Driver from here"
        script={keptScript ?? recorded}
        scriptHelp={run.driver === "script" ? OWN_SCRIPT_HELP : SCRIPT_HELP}
        blank="as in this run"
      />
      {answering.driver !== "rehearsal" && (
        <ToolsLine
          pack={run.pack}
          commands={commands}
          allow={setCommands}
          approvals={known?.approvals ?? []}
        />
      )}
      <ModeField mode={mode} choose={setMode} none={SAME_MODE} />
    </Dialog>
  );
}

/** The run as a script, fetched when the script driver is chosen. */
function useRecordedScript(run: string, enabled: boolean): string {
  const [text, setText] = useState(DEFAULT_DRIVER.script);
  useEffect(() => {
    if (!enabled) return;
    let here = true;
    const useScript = (script: unknown) => {
      if (here) setText(`${JSON.stringify(script, null, 2)}\n`);
    };
    runs.script(run).then(useScript, (error: unknown) => session.notifyError(error));
    return () => {
      here = false;
    };
  }, [run, enabled]);
  return text;
}

function RevisionField({
  run,
  value,
  change,
}: {
  run: Run;
  value: number;
  change: (number: number) => void;
}) {
  const revisions = useFetched([run.pack], () => packs.revisions(String(run.pack)))?.results ?? [];
  const newest = revisions[0]?.number;
  return (
    <div className="field">
      <label className="field-label" htmlFor="fork-revision">
        Revision
      </label>
      <select
        id="fork-revision"
        aria-describedby="fork-revision-help"
        value={value}
        onChange={(event) => change(Number(event.target.value))}
      >
        {!revisions.some((one) => one.number === run.revision) && (
          <option value={run.revision}>r{run.revision} · of this run</option>
        )}
        {revisions.map((one) => (
          <option key={one.number} value={one.number}>
            r{one.number} · {(one.name || one.summary || one.kind).slice(0, 60)}
            {one.number === run.revision
              ? " · of this run"
              : one.number === newest
                ? " · newest"
                : ""}
          </option>
        ))}
      </select>
      <div className="help" id="fork-revision-help">
        Under another revision, pending effects are requested again with its prompts.
      </div>
    </div>
  );
}
