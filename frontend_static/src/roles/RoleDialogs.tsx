import { useEffect, useState } from "react";
import { sentenceOf } from "../ui/errorText";
import { Dialog } from "../ui/Dialog";
import { Time } from "../ui/RelativeTime";
import { Changes } from "./RoleChanges";
import { configsDiffer, dirtyIn, reset, resettable, restore, revision, revisions, saveOverTheirs, store, takeTheirs, useRole } from "./roleStore";
import { differences, draftOf, type Config, type Revision, type Role } from "./promptConfig";

const close = () => store.set({ dialog: null });

export function Dialogs() {
  const dialog = useRole((state) => state.dialog);
  const theirs = useRole((state) => state.theirs);
  const role = useRole((state) => state.role);
  if (!role) return null;
  if (theirs) return <Conflict theirs={theirs.role} />;
  if (dialog === "history") return <History role={role} />;
  if (dialog === "reset") return <Reset role={role} />;
  return null;
}

/** Somebody saved since this was read: nothing of mine is lost, and I choose. */
function Conflict({ theirs }: { theirs: Role }) {
  const draft = useRole((state) => state.draft!);
  return (
    <Dialog
      wide
      title="This role was changed meanwhile"
      onClose={() => store.set({ theirs: null })}
      footer={
        <>
          <button type="button" className="button start" onClick={() => store.set({ theirs: null })}>
            Go on writing
          </button>
          <button type="button" className="button danger" onClick={takeTheirs}>
            Take theirs, drop mine
          </button>
          <button type="button" className="button primary" onClick={saveOverTheirs}>
            Save mine over theirs
          </button>
        </>
      }
    >
      <p>
        It was saved <Time at={theirs.updated_at} />, perhaps in another tab. Nothing of yours was saved and nothing is lost.
        This is what yours has different from theirs; what you save over stays in the history.
      </p>
      <Changes differences={differences(draftOf(theirs), draft)} same="Both say the same." />
    </Dialog>
  );
}

/** Something that takes a moment to fetch, and may not come. */
function useFetched<T>(fetch: (() => Promise<T>) | null, key: unknown): { value: T | null; trouble: string } {
  const [found, setFound] = useState<{ value: T | null; trouble: string }>({ value: null, trouble: "" });
  useEffect(() => {
    let wanted = true;
    setFound({ value: null, trouble: "" });
    fetch?.().then(
      (value) => wanted && setFound({ value, trouble: "" }),
      (error: unknown) => wanted && setFound({ value: null, trouble: sentenceOf(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [key]);
  return found;
}

const Trouble = ({ text }: { text: string }) =>
  text ? (
    <p className="notice error" role="alert">
      {text}
    </p>
  ) : null;

const Unsaved = () => (
  <p className="notice warning">
    <span>What you have written and not saved would be gone. Save it first, or go back without.</span>
  </p>
);

/** Every saved version; what one has different from the one before it or from now; back to it. */
function History({ role }: { role: Role }) {
  const { value: found, trouble } = useFetched(() => revisions(role.id), role.revision);
  const [chosen, setChosen] = useState<number | null>(null);
  const [against, setAgainst] = useState<"before" | "now">("before");
  const dirty = useRole(dirtyIn);
  const act = useAct(close);
  const number = chosen ?? found?.[0]?.number ?? null;
  return (
    <Dialog
      wide
      title={`History of ${role.name}`}
      onClose={close}
      footer={
        number !== null &&
        number !== role.revision &&
        !role.is_system && (
          <button type="button" className="button primary" disabled={dirty || act.busy} onClick={() => act.run(() => restore(role.id, number))}>
            Restore {number}
          </button>
        )
      }
    >
      <Trouble text={trouble || act.trouble} />
      {dirty && number !== role.revision && <Unsaved />}
      <div className="history">
        <Revisions found={found ?? []} current={number} choose={setChosen} />
        <div className="history-changes">
          <div className="row">
            <label className="check">
              <input type="radio" name="against" checked={against === "before"} onChange={() => setAgainst("before")} /> What it
              changed
            </label>
            <label className="check">
              <input type="radio" name="against" checked={against === "now"} onChange={() => setAgainst("now")} /> What restoring it
              would change
            </label>
          </div>
          {number !== null && <RevisionChanges role={role} number={number} against={against} />}
        </div>
      </div>
    </Dialog>
  );
}

function Revisions({ found, current, choose }: { found: readonly Revision[]; current: number | null; choose: (n: number) => void }) {
  return (
    <ol className="revisions" aria-label="Revisions">
      {found.map((one) => (
        <li key={one.number}>
          <button
            type="button"
            aria-current={one.number === current ? "true" : undefined}
            data-revision={one.number}
            onClick={() => choose(one.number)}
          >
            <b>{one.number}</b> {one.reason} {one.current && <span className="badge ok">now</span>}
            <span className="muted">
              {one.made_by ?? "Signalbox"} · <Time at={one.made_at} />
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}

function RevisionChanges({ role, number, against }: { role: Role; number: number; against: "before" | "now" }) {
  const config = async (n: number): Promise<Config> => (await revision(role.id, n)).prompt_config;
  const fetch = async () => {
    const it = await config(number);
    if (against === "now") return configsDiffer(role, role.prompt_config, it);
    return number > 1 ? configsDiffer(role, await config(number - 1), it) : null;
  };
  const { value, trouble } = useFetched(async () => ({ found: await fetch() }), `${number} ${against} ${role.revision}`);
  if (trouble) return <Trouble text={trouble} />;
  if (!value) return <p className="help">Loading…</p>;
  if (value.found === null) return <p className="help">The first version: there is none before it.</p>;
  return <Changes differences={value.found} same={against === "now" ? "It is as it is now." : "Nothing is different."} />;
}

/** Back to the system role, having seen what that takes away. */
function Reset({ role }: { role: Role }) {
  const { value: both, trouble } = useFetched(() => resettable(role), role.revision);
  const dirty = useRole(dirtyIn);
  const act = useAct(close);
  const lost = both ? configsDiffer(role, both.saved, both.source.prompt_config) : [];
  return (
    <Dialog
      wide
      title={`Reset ${role.name}`}
      onClose={close}
      footer={
        <>
          <button type="button" className="button" onClick={close}>
            Keep mine
          </button>
          <button
            type="button"
            className="button danger"
            disabled={!both || lost.length === 0 || dirty || act.busy}
            onClick={() => act.run(() => reset(role.id, both!.etag))}
          >
            Reset to {both?.source.name ?? "the system role"}
          </button>
        </>
      }
    >
      <Trouble text={trouble || act.trouble} />
      {dirty && <Unsaved />}
      {both && (
        <>
          <p>
            Its prompts become those of the system role {both.source.name}; name, description and colour stay. What it says now
            stays in the history.
          </p>
          <Changes differences={lost} same="It says what the system role says: there is nothing to reset." />
        </>
      )}
    </Dialog>
  );
}

/** Carry something out once, say why it did not work, and close after. */
function useAct(done: () => void): { busy: boolean; trouble: string; run: (act: () => Promise<void>) => void } {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState("");
  const run = (act: () => Promise<void>) => {
    setBusy(true);
    act().then(done, (error: unknown) => {
      setBusy(false);
      setTrouble(sentenceOf(error));
    });
  };
  return { busy, trouble, run };
}
