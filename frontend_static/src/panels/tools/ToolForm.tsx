import { useMemo, useRef, useState } from "react";
import {
  packs,
  session,
  errorMessage,
  type Form,
  type Json,
  type PackTool,
  type ToolKind,
  type ErrorMessage,
} from "../../session";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { changed, FormProvider, type FormContext } from "../form/formContext";
import { valueAt, withValue } from "../form/fieldEdits";
import { Properties } from "../form/NestedFields";
import type { Schema } from "../form/schema";
import { SecretFields, type Secret } from "./SecretFields";
import { joinCommand, splitCommand } from "./commandLine";
import { ToolTest } from "./ToolTest";
import { keptTyped } from "../../ui/typedTexts";
import { useAsked } from "../../ui/useAsked";
import { useKept } from "../../ui/useKept";
import { FieldLabel } from "../../ui/FieldLabel";
import { Button } from "../../ui/Button";

type Settings = { [name: string]: Json };

interface Props {
  pack: string | number;
  tool: PackTool;
  kinds: ToolKind[];
  /** The full names of the tools of connected MCP servers. */
  connected: readonly string[];
  /** The tool as saved has not arrived yet. */
  stale: boolean;
  changed: () => void;
}

const NO_FIELDS: readonly string[] = [];
const OF_OTHER_SERVERS: readonly string[] = ["url", "command", "tool"];

/** A tool without a kind asks a person. */
const NO_KIND = "";

/** The binding of one tool: kind, settings and secrets, with a test call. */
export function ToolForm({ pack, tool, kinds, connected, stale, changed }: Props) {
  const now = tool.binding ?? tool.usual;
  const storedSecrets = tool.binding?.secret_names ?? [];
  const place = `tool ${pack} ${tool.tool}`;
  const [{ kind, settings }, setForm, drop] = useKept<{ kind: string; settings: Settings }>(
    place,
    `Tool ${tool.tool}`,
    () => ({ kind: now?.kind ?? NO_KIND, settings: now?.settings ?? {} }),
  );
  const [secrets, setSecrets] = useState<Secret[] | null>(null);
  useAsked(`Secrets of ${tool.tool}`, secrets !== null, "not saved yet");
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState(false);
  const [touched, setTouched] = useState(() => keptTyped(place) !== null);
  const latest = useRef(settings);
  const kindInfo = kinds.find((one) => one.name === kind);
  const isConnected = typeof settings.connected === "string";

  const set = (next: Settings, nextKind = kind) => {
    latest.current = next;
    setForm({ kind: nextKind, settings: next });
    setTouched(true);
  };
  const choose = (name: string) => {
    if (connected.includes(name)) set({ connected: name }, "mcp");
    else set(name === now?.kind && !now.settings.connected ? now.settings : {}, name);
    setProblem(null);
  };
  const save = async () => {
    setBusy(true);
    setProblem(null);
    try {
      // Secrets of one kind must not be sent to another, and a connected server has its own.
      const newSecrets = isConnected ? [] : (secrets ?? (kind === tool.binding?.kind ? null : []));
      const secretValues =
        newSecrets &&
        Object.fromEntries(
          newSecrets.filter((one) => one.name).map((one) => [one.name, one.value]),
        );
      if (kind === NO_KIND) await packs.unbindTool(pack, tool.tool);
      else
        await packs.bindTool(pack, tool.tool, {
          kind,
          settings: latest.current,
          ...(secretValues ? { secrets: secretValues } : {}),
        });
      setSecrets(null);
      setTouched(false);
      drop();
      changed();
      await session.refreshFindings();
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy(false);
  };
  const dirty = touched || secrets !== null;
  return (
    <section className="tool-form" aria-label={`Tool ${tool.tool}`}>
      <h3 className="mono" translate="no">
        {tool.tool}
      </h3>
      {tool.description && <p className="tool-description">{tool.description}</p>}
      {!tool.in_pack && <p className="notice warning">The pack no longer names this tool.</p>}
      {tool.answered_by === "missing" && (
        <p className="notice error">
          This server has no tool of this name, so no run starts. Choose a binding, or connect its
          MCP server under Settings.
        </p>
      )}
      {problem && <ErrorNotice {...problem} />}
      <FieldLabel label="A call of it">
        <select
          value={connected.find((name) => name === settings.connected) ?? kind}
          onChange={(event) => choose(event.target.value)}
        >
          <option value={NO_KIND}>
            {tool.usual ? `does as usual: ${labelOf(tool.usual.kind, kinds)}` : "asks a person"}
          </option>
          {kinds.map((one) => (
            <option key={one.name} value={one.name}>
              {one.label}
            </option>
          ))}
          {connected.length > 0 && (
            <optgroup label="Connected MCP servers">
              {likeliestFirst(connected, tool.tool).map((name) => (
                <option key={name} value={name}>
                  {name.replace("mcp__", "").replace("__", " › ")}
                </option>
              ))}
            </optgroup>
          )}
        </select>
        {kindInfo && <span className="help">May touch: {kindInfo.touches}</span>}
        {kindInfo && !kindInfo.allowed && (
          <span className="help tool-not-allowed">
            This server runs no commands (SIGNALBOX_COMMANDS), so a call still asks a person.
          </span>
        )}
      </FieldLabel>
      {kindInfo && (
        <>
          <SettingsForm
            key={kind}
            tool={tool.tool}
            kind={kindInfo}
            hidden={isConnected ? OF_OTHER_SERVERS : NO_FIELDS}
            values={settings}
            keep={set}
            latest={latest}
          />
          {!isConnected && (
            <SecretFields
              storedNames={kind === tool.binding?.kind ? storedSecrets : []}
              value={secrets}
              change={setSecrets}
            />
          )}
        </>
      )}
      <div className="row">
        <Button kind="primary" disabled={busy || !dirty} onClick={() => void save()}>
          {busy ? "Saving…" : "Save"}
        </Button>
        {dirty && <span className="muted small">Not saved yet.</span>}
      </div>
      <ToolTest
        key={`trial-${String(now?.kind)}`}
        pack={pack}
        tool={tool}
        ready={!dirty && !busy && !stale}
      />
    </section>
  );
}

/** Tools of the same name first. */
const likeliestFirst = (names: readonly string[], tool: string): string[] =>
  names.toSorted(
    (one, other) => Number(other.endsWith(`__${tool}`)) - Number(one.endsWith(`__${tool}`)),
  );

const labelOf = (name: string, kinds: ToolKind[]) =>
  kinds.find((one) => one.name === name)?.label ?? name;

interface FormProps {
  tool: string;
  kind: ToolKind;
  /** Names of settings that the chosen server has already. */
  hidden: readonly string[];
  values: Settings;
  latest: { readonly current: Settings };
  keep: (values: Settings) => void;
}

/** The settings of a kind, rendered from its schema. */
function SettingsForm({ tool, kind, hidden, values, latest, keep }: FormProps) {
  const schema = useMemo(() => withCommandLine(kind.schema as Schema, hidden), [kind, hidden]);
  const context = useMemo<FormContext>(
    () => ({
      form: { ...EMPTY_FORM, element: `tool:${tool}`, title: tool, schema: kind.schema, values },
      place: `tool:${tool}`,
      readOnly: false,
      findings: [],
      follow: () => undefined,
      commit(pointer, change) {
        const entered = changed(change, valueAt(latest.current, pointer));
        const value = pointer === "/command" ? wordsOf(entered) : entered;
        if (value === null) return Promise.resolve("The command has an unclosed quote.");
        keep(withValue(latest.current, pointer, value) as Settings);
        return Promise.resolve(null);
      },
    }),
    [tool, kind, values, latest, keep],
  );
  return (
    <FormProvider value={context}>
      <Properties schema={schema} pointer="" value={withLine(values)} />
    </FormProvider>
  );
}

/** A command is entered as one line, not word by word. */
function withCommandLine(schema: Schema, hidden: readonly string[]): Schema {
  const { command, ...properties } = schema.properties ?? {};
  if (command?.type !== "array") return schema;
  const { items: _items, ...line } = command;
  const description = "As in a shell; quote a word that contains spaces. {name} is an argument.";
  const entered = { ...line, type: "string", description };
  // The order of the schema is the order of the fields.
  const names = Object.keys(schema.properties ?? {}).filter((name) => !hidden.includes(name));
  const all: Record<string, Schema> = { ...properties, command: entered };
  return { ...schema, properties: Object.fromEntries(names.map((name) => [name, all[name]!])) };
}

function withLine(values: Settings): Settings {
  const { command } = values;
  return Array.isArray(command) ? { ...values, command: joinCommand(command.map(String)) } : values;
}

/** The words of an entered line; undefined without any, null if a quote is not closed. */
function wordsOf(entered: Json | undefined): Json | undefined | null {
  if (typeof entered !== "string") return entered;
  const words = splitCommand(entered);
  return words && (words.length > 0 ? words : undefined);
}

const EMPTY_FORM: Form = {
  element: "",
  title: "",
  schema: {},
  values: {},
  path: "",
  pointer: "",
  line: 0,
  links: [],
  removable: false,
  renamable: false,
  prompt: null,
};
