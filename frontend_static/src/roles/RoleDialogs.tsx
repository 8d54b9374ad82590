import { useState } from "react";
import { errorText } from "../ui/errorText";
import { Dialog } from "../ui/Dialog";
import { RelativeTime } from "../ui/RelativeTime";
import { RoleChanges } from "./RoleChanges";
import {
  configsDiffer,
  isDirty,
  reset,
  fetchResetSource,
  restore,
  revision,
  revisions,
  saveOverTheirs,
  store,
  takeTheirs,
  useRole,
} from "./roleStore";
import { differences, draftOf, type Config, type Revision, type Role } from "./promptConfig";
import { useRequest } from "../ui/useRequest";
import { Button } from "../ui/Button";

const close = () => store.setState({ dialog: null });

export function RoleDialogs() {
  const dialog = useRole((state) => state.dialog);
  const theirs = useRole((state) => state.theirs);
  const role = useRole((state) => state.role);
  if (!role) return null;
  if (theirs) return <ConflictDialog theirs={theirs.role} />;
  if (dialog === "history") return <HistoryDialog role={role} />;
  if (dialog === "reset") return <ResetDialog role={role} />;
  return null;
}

/** The role was saved elsewhere since it was loaded. The user chooses between the versions. */
function ConflictDialog({ theirs }: { theirs: Role }) {
  const draft = useRole((state) => state.draft!);
  return (
    <Dialog
      wide
      title="This role was changed meanwhile"
      onClose={() => store.setState({ theirs: null })}
      footer={
        <>
          <Button kind="start" onClick={() => store.setState({ theirs: null })}>
            Keep editing
          </Button>
          <Button kind="danger" onClick={takeTheirs}>
            Take theirs, drop mine
          </Button>
          <Button kind="primary" onClick={saveOverTheirs}>
            Save mine over theirs
          </Button>
        </>
      }
    >
      <p>
        It was saved <RelativeTime at={theirs.updated_at} />, perhaps in another tab. Nothing of
        yours was saved and nothing is lost. This is what yours has different from theirs; what you
        save over stays in the history.
      </p>
      <RoleChanges differences={differences(draftOf(theirs), draft)} same="Both are equal." />
    </Dialog>
  );
}

/** A value that is fetched, or the error. */
function useFetched<T>(
  fetch: () => Promise<T>,
  ...key: readonly unknown[]
): { value: T | null; trouble: string } {
  const { value, error, stale } = useRequest(key, fetch);
  if (stale) return { value: null, trouble: "" };
  return error === null ? { value, trouble: "" } : { value: null, trouble: errorText(error) };
}

const ErrorLine = ({ text }: { text: string }) =>
  text ? (
    <p className="notice error" role="alert">
      {text}
    </p>
  ) : null;

const UnsavedWarning = () => (
  <p className="notice warning">
    <span>Unsaved changes would be lost. Save them first, or discard them.</span>
  </p>
);

/** The revisions of a role, the changes of each, and a button to restore one. */
function HistoryDialog({ role }: { role: Role }) {
  const { value: fetchedRevisions, trouble } = useFetched(() => revisions(role.id), role.revision);
  const [chosenNumber, setChosenNumber] = useState<number | null>(null);
  const [against, setAgainst] = useState<"before" | "now">("before");
  const dirty = useRole(isDirty);
  const act = useAction(close);
  const number = chosenNumber ?? fetchedRevisions?.[0]?.number ?? null;
  return (
    <Dialog
      wide
      title={`History of ${role.name}`}
      onClose={close}
      footer={
        number !== null &&
        number !== role.revision &&
        !role.is_system && (
          <Button
            kind="primary"
            disabled={dirty || act.busy}
            onClick={() => act.run(() => restore(role.id, number))}
          >
            Restore {number}
          </Button>
        )
      }
    >
      <ErrorLine text={trouble || act.trouble} />
      {dirty && number !== role.revision && <UnsavedWarning />}
      <div className="history">
        <Revisions revisions={fetchedRevisions ?? []} current={number} choose={setChosenNumber} />
        <div className="history-changes">
          <div className="row">
            <label className="check">
              <input
                type="radio"
                name="against"
                checked={against === "before"}
                onChange={() => setAgainst("before")}
              />{" "}
              What it changed
            </label>
            <label className="check">
              <input
                type="radio"
                name="against"
                checked={against === "now"}
                onChange={() => setAgainst("now")}
              />{" "}
              What restoring it would change
            </label>
          </div>
          {number !== null && <RevisionChanges role={role} number={number} against={against} />}
        </div>
      </div>
    </Dialog>
  );
}

function Revisions({
  revisions,
  current,
  choose,
}: {
  revisions: readonly Revision[];
  current: number | null;
  choose: (n: number) => void;
}) {
  return (
    <ol className="plain revisions" aria-label="Revisions">
      {revisions.map((one) => (
        <li key={one.number}>
          <button
            type="button"
            aria-current={one.number === current ? "true" : undefined}
            data-revision={one.number}
            onClick={() => choose(one.number)}
          >
            <b>{one.number}</b> {one.reason} {one.current && <span className="badge ok">now</span>}
            <span className="muted">
              {one.made_by ?? "Signalbox"} · <RelativeTime at={one.made_at} />
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function RevisionChanges({
  role,
  number,
  against,
}: {
  role: Role;
  number: number;
  against: "before" | "now";
}) {
  const config = async (n: number): Promise<Config> => (await revision(role.id, n)).prompt_config;
  const fetch = async () => {
    const it = await config(number);
    if (against === "now") return configsDiffer(role, role.prompt_config, it);
    return number > 1 ? configsDiffer(role, await config(number - 1), it) : null;
  };
  const { value, trouble } = useFetched(
    async () => ({ found: await fetch() }),
    number,
    against,
    role.revision,
  );
  if (trouble) return <ErrorLine text={trouble} />;
  if (!value) return <p className="help">Loading…</p>;
  if (value.found === null)
    return <p className="help">The first version: there is none before it.</p>;
  return (
    <RoleChanges
      differences={value.found}
      same={against === "now" ? "It is as it is now." : "No difference."}
    />
  );
}

/** Resets a role to its system role, after showing what would be lost. */
function ResetDialog({ role }: { role: Role }) {
  const { value: both, trouble } = useFetched(() => fetchResetSource(role), role.revision);
  const dirty = useRole(isDirty);
  const act = useAction(close);
  const lost = both ? configsDiffer(role, both.saved, both.source.prompt_config) : [];
  return (
    <Dialog
      wide
      title={`Reset ${role.name}`}
      onClose={close}
      footer={
        <>
          <Button onClick={close}>Keep mine</Button>
          <Button
            kind="danger"
            disabled={!both || lost.length === 0 || dirty || act.busy}
            onClick={() => act.run(() => reset(role.id, both!.etag))}
          >
            Reset to {both?.source.name ?? "the system role"}
          </Button>
        </>
      }
    >
      <ErrorLine text={trouble || act.trouble} />
      {dirty && <UnsavedWarning />}
      {both && (
        <>
          <p>
            Its prompts become those of the system role {both.source.name}; name, description and
            colour stay. The current text stays in the history.
          </p>
          <RoleChanges
            differences={lost}
            same="It equals the system role, so there is nothing to reset."
          />
        </>
      )}
    </Dialog>
  );
}

/** Run an action, report its error, and call `done` on success. */
function useAction(done: () => void): {
  busy: boolean;
  trouble: string;
  run: (act: () => Promise<void>) => void;
} {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const run = (act: () => Promise<void>) => {
    setBusy(true);
    act().then(done, (error: unknown) => {
      setBusy(false);
      setTrouble(errorText(error));
    });
  };
  return { busy, trouble, run };
}
