import { GitCompareArrows } from "lucide-react";
import { useEffect, useState } from "react";
import { packs, session, useSession, useFetched, type Diff, type Revision } from "../../session";
import { FileDiff } from "../../ui/FileDiff";
import { useRevisions } from "./useRevisions";
import { showElement } from "../showElement";
import { Mono } from "../../ui/Mono";
import { Empty } from "../../ui/Empty";

/**
 * The difference between two revisions: states and transitions first, then the lines of the files.
 */
export function DiffView() {
  const head = useSession((state) => state.revision);
  const revisions = useRevisions();
  const [from, setFrom] = useState<number | null>(null);
  const [to, setTo] = useState<number | null>(null);
  const first = revisions?.at(-1)?.number ?? 1;
  const [drawn, setDrawn] = useState(true);
  const diff = useDiff(from ?? first, to ?? head);
  useCanvasDiff(from ?? first, to ?? head, drawn ? diff : null);
  return (
    <div className="diff-view">
      <div className="toolbar tight">
        <RevisionSelect
          label="From"
          revisions={revisions ?? []}
          value={from ?? first}
          onChange={setFrom}
        />
        <span className="muted">→</span>
        <RevisionSelect
          label="To"
          revisions={revisions ?? []}
          value={to ?? head}
          onChange={(n) => setTo(n === head ? null : n)}
        />
        {diff && <Counts diff={diff} />}
        <label className="small">
          <input
            type="checkbox"
            checked={drawn}
            onChange={(event) => setDrawn(event.target.checked)}
          />{" "}
          Show on the canvas
        </label>
      </div>
      <div className="scroll">
        {diff && <Changes diff={diff} />}
        {diff?.files.map((file) => (
          <FileDiff key={file.path} path={file.path} diff={file.diff} />
        ))}
        {diff && isEmpty(diff) && (
          <Empty Icon={GitCompareArrows} title="No difference">
            These two revisions have the same files, byte for byte. Moving a state never changes a
            file.
          </Empty>
        )}
      </div>
    </div>
  );
}

function useDiff(from: number, to: number): Diff | null {
  const pack = useSession((state) => state.pack);
  const known = pack !== null && from > 0 && to > 0;
  return useFetched(known ? [pack, from, to] : null, () => packs.diff(pack!, from, to));
}

/** Draw the difference on the canvas while this view is open. */
function useCanvasDiff(from: number, to: number, diff: Diff | null): void {
  useEffect(() => {
    if (!diff || from === to || isEmpty(diff)) return undefined;
    void session.compareRevisions(from, to, diff);
    return () => session.endComparison();
  }, [from, to, diff]);
}

function isEmpty(diff: Diff): boolean {
  return diff.files.every((file) => file.diff === "");
}

interface SelectProps {
  label: string;
  revisions: Revision[];
  value: number;
  onChange: (number: number) => void;
}

function RevisionSelect({ label, revisions, value, onChange }: SelectProps) {
  return (
    <select
      className="input"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    >
      {!revisions.some((one) => one.number === value) && <option value={value}>r{value}</option>}
      {revisions.map((one) => (
        <option key={one.number} value={one.number}>
          r{one.number} · {(one.name || one.summary || one.kind).slice(0, 48)}
        </option>
      ))}
    </select>
  );
}

function Counts({ diff }: { diff: Diff }) {
  const lines = diff.files.flatMap((file) => file.diff.split("\n"));
  const added = lines.filter((line) => line.startsWith("+") && !line.startsWith("+++")).length;
  const removed = lines.filter((line) => line.startsWith("-") && !line.startsWith("---")).length;
  return (
    <span className="small">
      <span className="level-ok">+{added}</span> <span className="level-error">−{removed}</span>{" "}
      <span className="muted">
        in {diff.files.length === 1 ? "one file" : `${diff.files.length} files`}
      </span>
    </span>
  );
}

const CHANGE_KINDS = ["added", "changed", "removed"] as const;

function Changes({ diff }: { diff: Diff }) {
  const rows = (["state", "transition"] as const).flatMap((kind) =>
    CHANGE_KINDS.flatMap((how) => diff[`${kind}s`][how].map((id) => ({ kind, how, id }))),
  );
  const renamed = (["state", "transition"] as const).flatMap((kind) =>
    diff[`${kind}s`].renamed.map(({ was, now }) => ({ kind, was, now })),
  );
  if (rows.length + renamed.length === 0) return null;
  return (
    <ul className="plain changes" aria-label="Changed states and transitions">
      {renamed.map(({ kind, was, now }) => (
        <li key={`${kind}${now}`}>
          <button
            type="button"
            className="change changed"
            onClick={() => showElement(`${kind}:${now}`)}
          >
            <b aria-label="renamed">→</b>
            <Mono>{`${was.split("|").join(" · ")} → ${now.split("|").join(" · ")}`}</Mono>
          </button>
        </li>
      ))}
      {rows.map(({ kind, how, id }) => (
        <li key={`${kind}${how}${id}`}>
          <button
            type="button"
            className={`change ${how}`}
            disabled={how === "removed"}
            onClick={() => showElement(`${kind}:${id}`)}
          >
            <b aria-label={how}>{{ added: "+", changed: "~", removed: "−" }[how]}</b>
            <Mono>{kind === "state" ? id : id.split("|").join(" · ")}</Mono>
          </button>
        </li>
      ))}
    </ul>
  );
}
