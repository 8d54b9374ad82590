import { useEffect, useState } from "react";
import { runs, session, type Connection } from "../session";

interface Props {
  connection: string;
  model: string;
  change: (choice: { connection?: string; model?: string }) => void;
}

/** Which connection a run asks, and the model that it asks instead of those the pack names. */
export function ModelChoice({ connection, model, change }: Props) {
  const [known, setKnown] = useState<Connection[] | null>(null);
  useEffect(() => {
    runs.connections().then(setKnown, (error: unknown) => session.notifyError(error));
  }, []);
  const first = known?.[0]?.name;
  const missing = known !== null && first !== undefined && !known.some((one) => one.name === connection);
  useEffect(() => {
    if (missing) change({ connection: first });
  });
  if (known?.length === 0)
    return (
      <p className="notice warning">
        There is no connection to a model yet. <a href="/settings/#connections">Add one under Settings</a>.
      </p>
    );
  const own = known?.find((one) => one.name === connection)?.model;
  return (
    <div className="columns">
      <label className="field">
        <span className="field-label">Connection</span>
        <select
          className="input"
          value={connection}
          disabled={known === null}
          onChange={(event) => change({ connection: event.target.value })}
        >
          {known?.map((one) => <option key={one.id}>{one.name}</option>)}
        </select>
      </label>
      <label className="field">
        <span className="field-label">Model</span>
        <input
          className="mono"
          value={model}
          placeholder={own ? `the pack's, else ${own}` : "the pack's"}
          onChange={(event) => change({ model: event.target.value })}
        />
      </label>
    </div>
  );
}
