import "./models.css";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import {
  packs,
  runs,
  errorMessage,
  useSession,
  type Connection,
  type ModelChoice,
  type ModelChoices,
  type ErrorMessage,
} from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { useDraft } from "../form/useDraft";
import { Button } from "../../ui/Button";
import { FieldLabel } from "../../ui/FieldLabel";
import { siteUrl } from "../../ui/siteUrl";

const NO_CHOICE: ModelChoice = { connection: "", model: "" };

/** The connection and model of the pack and of single states, for runs with the driver "Model". */
export function ModelsDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const states = useSession((state) => state.fullGraph.states);
  const [choices, setChoices] = useState<ModelChoices | null>(null);
  const [connections, setConnections] = useState<Connection[]>([]);
  const [added, setAdded] = useState<string[]>([]);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  useEffect(() => {
    const showError = (error: unknown) => setProblem(errorMessage(error));
    packs.models(pack).then(setChoices, showError);
    runs.connections().then(setConnections, showError);
  }, [pack]);
  const line = useRef<Promise<unknown>>(Promise.resolve());
  const newest = useRef(0);
  /** The choices with those that are on their way. */
  const latest = useRef<ModelChoices | null>(null);
  /**
   * Choices are sent in order, because the next one may depend on the last. Connections show at
   * once; a typed name stays a draft until it is stored. Rejects if it was not.
   */
  const choose = (state: string, part: Partial<ModelChoice>): Promise<void> => {
    const number = ++newest.current;
    const before = latest.current ?? choices!;
    const choice = { ...((state ? before.states[state] : before.pack) ?? NO_CHOICE), ...part };
    latest.current = withChoice(before, state, choice);
    setProblem(null);
    if (part.connection !== undefined) setChoices(latest.current);
    const stored = line.current.then(async () => {
      try {
        const saved = await packs.chooseModel(pack, state, choice);
        if (number !== newest.current) return;
        latest.current = null;
        setChoices(saved);
      } catch (error) {
        setProblem(errorMessage(error));
        latest.current = null;
        const now = await packs.models(pack).catch(() => null);
        if (now) setChoices(now);
        throw error;
      }
    });
    line.current = stored.catch(() => undefined);
    return stored;
  };
  const takeBack = (state: string) => {
    setAdded(added.filter((one) => one !== state));
    choose(state, NO_CHOICE).catch(() => undefined);
  };
  const own = [
    ...Object.keys(choices?.states ?? {}),
    ...added.filter((state) => !choices?.states[state]),
  ];
  const otherStates = [...states.keys()].filter((state) => !own.includes(state));
  const server = choices?.server;
  return (
    <Dialog wide title="Models" onClose={close} footer={<Button onClick={close}>Close</Button>}>
      {problem && <ErrorNotice {...problem} />}
      <p className="help">
        For runs with the driver “Model”: a state's choice overrides the run's, which overrides the
        pack's, which overrides the server's default. Choices are stored on this server, never in
        the pack's files, and apply to running runs at once.
      </p>
      {connections.length === 0 && (
        <p className="notice warning">
          <span>
            No model connection exists yet.{" "}
            <a href={siteUrl("/settings/#connections")}>Add one under Settings</a>.
          </span>
        </p>
      )}
      <table className="model-rows">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Connection</th>
            <th scope="col">Model</th>
            <th scope="col">
              <span className="visually-hidden">Reset</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>This server</td>
            <td className="muted">{server?.connection ?? "no default: each run chooses"}</td>
            <td className="muted mono" translate="no">
              {server?.model}
            </td>
            <td>
              <a className="small" href={siteUrl("/settings/#connections")}>
                Settings
              </a>
            </td>
          </tr>
          {choices && (
            <ChoiceRow
              title="The whole pack"
              connections={connections}
              choice={choices.pack}
              choose={(part) => choose("", part)}
            />
          )}
          {own.map((state) => (
            <ChoiceRow
              key={state}
              title={state}
              mono
              connections={connections}
              choice={choices?.states[state] ?? NO_CHOICE}
              choose={(part) => choose(state, part)}
              takeBack={() => takeBack(state)}
            />
          ))}
        </tbody>
      </table>
      <FieldLabel kind="model-add" label="A state of its own">
        <select
          value=""
          disabled={otherStates.length === 0}
          onChange={(event) => setAdded([...added, event.target.value])}
        >
          <option value="">Choose a state…</option>
          {otherStates.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
      </FieldLabel>
    </Dialog>
  );
}

function withChoice(choices: ModelChoices, state: string, choice: ModelChoice): ModelChoices {
  return state
    ? { ...choices, states: { ...choices.states, [state]: choice } }
    : { ...choices, pack: choice };
}

interface RowProps {
  title: string;
  mono?: boolean;
  connections: Connection[];
  choice: ModelChoice;
  choose: (part: Partial<ModelChoice>) => Promise<void>;
  takeBack?: () => void;
}

function ChoiceRow({ title, mono, connections, choice, choose, takeBack }: RowProps) {
  const { inputProps } = useDraft({
    place: `model ${title}`,
    label: `Model for ${title}`,
    saved: choice.model,
    apply: async (text) => {
      await choose({ model: text.trim() });
      return null;
    },
  });
  const isRemoved =
    choice.connection !== "" &&
    connections.length > 0 &&
    !connections.some((one) => one.name === choice.connection);
  return (
    <tr data-asks={title}>
      <td className={mono ? "mono" : undefined}>{title}</td>
      <td>
        <select
          className="input"
          aria-label={`Connection for ${title}`}
          value={choice.connection}
          onChange={(event) => {
            choose({ connection: event.target.value }).catch(() => undefined);
          }}
        >
          <option value="">{takeBack ? "the run's choice" : "the server's default"}</option>
          {isRemoved && <option value={choice.connection}>{choice.connection} (is gone)</option>}
          {connections.map((one) => (
            <option key={one.id} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
      </td>
      <td>
        <input
          className="input mono"
          aria-label={`Model for ${title}`}
          placeholder="the files' model"
          {...inputProps({ stay: true })}
        />
      </td>
      <td>
        {takeBack && (
          <Button
            kind="quiet small icon-only"
            aria-label={`Reset the choice for ${title}`}
            onClick={takeBack}
          >
            <X className="icon" aria-hidden />
          </Button>
        )}
      </td>
    </tr>
  );
}
