import { Fragment, useEffect } from "react";
import {
  packs,
  runCommand,
  runs,
  useSession,
  useFetched,
  type Connection,
  type ModelChoices,
} from "../../session";
import { FieldLabel } from "../../ui/FieldLabel";
import { Button } from "../../ui/Button";
import { siteUrl } from "../../ui/siteUrl";

interface Props {
  connection: string;
  model: string;
  change: (choice: { connection?: string; model?: string }) => void;
  /** Label of the empty choice, if it is not the default of the pack or server. */
  blank?: string | undefined;
}

/** The connection that a run uses, and a model in place of those the pack names. */
export function ModelFields({ connection, model, change, blank }: Props) {
  const pack = useSession((state) => state.pack);
  const [connections, choices] = useFetched([pack], () =>
    Promise.all([runs.connections(), pack === null ? null : packs.models(pack)]),
  ) ?? [null, null];
  const defaultLabel = blank ?? defaultConnection(choices);
  const first = defaultLabel === null ? connections?.[0]?.name : "";
  const missing =
    connections !== null &&
    first !== undefined &&
    connection !== "" &&
    !connections.some((one) => one.name === connection);
  const unsaid = connections !== null && connection === "" && first !== undefined && first !== "";
  useEffect(() => {
    if (missing || unsaid) change({ connection: first });
  });
  if (connections?.length === 0)
    return (
      <p className="notice warning">
        No model connection exists yet.{" "}
        <a href={siteUrl("/settings/#connections")}>Add one under Settings</a>.
      </p>
    );
  return (
    <>
      <div className="columns">
        <FieldLabel label="Connection">
          <select
            className="input"
            value={connection}
            disabled={connections === null}
            onChange={(event) => change({ connection: event.target.value })}
          >
            {defaultLabel !== null && <option value="">{defaultLabel}</option>}
            {connections?.map((one) => (
              <option key={one.id} value={one.name}>
                {one.name}
              </option>
            ))}
          </select>
        </FieldLabel>
        <FieldLabel label="Model">
          <input
            className="mono"
            value={model}
            placeholder={modelPlaceholder(connection, connections ?? [], choices)}
            onChange={(event) => change({ model: event.target.value })}
          />
        </FieldLabel>
      </div>
      <ModelNamesLine
        connection={connections?.find((one) => one.name === usedConnection(connection, choices))}
        model={model.trim() || packModel(choices, usedConnection(connection, choices))}
      />
      {pack !== null && blank === undefined && <StateModelsLine choices={choices} />}
    </>
  );
}

/** The default connection if the run sets none; null if the run must set one. */
function defaultConnection(choices: ModelChoices | null): string | null {
  if (choices?.pack.connection) return `the pack's: ${choices.pack.connection}`;
  return choices?.server ? `the server's: ${choices.server.connection}` : null;
}

/** The name of the connection that a run with this choice uses. */
function usedConnection(connection: string, choices: ModelChoices | null): string | undefined {
  return connection || choices?.pack.connection || choices?.server?.connection;
}

/** The model that is chosen for the whole pack on this connection, "" for none. */
function packModel(choices: ModelChoices | null, connection: string | undefined): string {
  const pack = choices?.pack;
  return pack && (pack.connection || connection) === connection ? pack.model : "";
}

function modelPlaceholder(
  connection: string,
  connections: Connection[],
  choices: ModelChoices | null,
): string {
  const connectionName = usedConnection(connection, choices);
  const packs = packModel(choices, connectionName);
  if (packs) return packs;
  const own = connections.find((one) => one.name === connectionName)?.model;
  return own ? `the pack's, else ${own}` : "the pack's";
}

/** The connection's models for names in packs, or for the one name that replaces them. */
function ModelNamesLine({
  connection,
  model,
}: {
  connection: Connection | undefined;
  model: string;
}) {
  if (!connection) return null;
  const names = Object.entries(connection.model_names).filter(
    ([name]) => model === "" || name === model,
  );
  if (names.length === 0) return null;
  return (
    <p className="help run-line">
      Model names of this connection:{" "}
      {names.map(([name, of], index) => (
        <Fragment key={name}>
          {index > 0 && ", "}
          <span className="model-name" data-model-name={name}>
            {name} → <code translate="no">{of || connection.model || "no model"}</code>
          </span>
        </Fragment>
      ))}
      . <a href={siteUrl("/settings/#connections")}>Change</a>
    </p>
  );
}

/** States with a model of their own use it regardless of the run's choice. */
function StateModelsLine({ choices }: { choices: ModelChoices | null }) {
  const count = Object.keys(choices?.states ?? {}).length;
  return (
    <p className="help run-line">
      {count > 0 && (
        <>
          {count === 1 ? "One state asks" : `${count} states ask`} a model of{" "}
          {count === 1 ? "its" : "their"} own.{" "}
        </>
      )}
      <Button kind="link" onClick={() => runCommand("models")}>
        Choose for the pack or for single states
      </Button>
    </p>
  );
}
