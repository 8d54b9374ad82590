import { useState } from "react";
import { packs, session, useSession, type Revision } from "../../session";
import { RelativeTime } from "../../ui/RelativeTime";
import { useRevisions } from "./useRevisions";
import { useDraft } from "../form/useDraft";
import { Button } from "../../ui/Button";

/** The pack's revisions. Restoring one creates a new revision. */
export function HistoryView() {
  const [fetchCount, setFetchCount] = useState(0);
  const revisions = useRevisions(fetchCount);
  const head = useSession((state) => state.revision);
  if (!revisions) return <p className="pane-note">Loading…</p>;
  return (
    <div className="scroll">
      <table className="table dense">
        <thead>
          <tr>
            <th>Revision</th>
            <th>Change</th>
            <th>Name</th>
            <th>Author</th>
            <th>Time</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {revisions.map((revision) => (
            <RevisionRow
              key={revision.number}
              revision={revision}
              head={head}
              renamed={() => setFetchCount(fetchCount + 1)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RevisionRow({
  revision,
  head,
  renamed,
}: {
  revision: Revision;
  head: number;
  renamed: () => void;
}) {
  const pack = useSession((state) => state.pack);
  const { inputProps } = useDraft({
    place: `revision ${revision.number}`,
    label: `Name of revision ${revision.number}`,
    saved: revision.name,
    apply: async (name) => {
      await packs.nameRevision(pack!, revision.number, name.trim());
      renamed();
      return null;
    },
  });
  return (
    <tr>
      <td className="mono" translate="no">
        r{revision.number} {revision.number === head && <span className="badge accent">now</span>}
      </td>
      <td>
        {revision.summary || revision.kind}{" "}
        {revision.kind !== "edit" && <span className="badge">{revision.kind}</span>}
      </td>
      <td>
        <input
          className="input bare"
          aria-label={`Name of revision ${revision.number}`}
          placeholder="Name it…"
          {...inputProps()}
        />
      </td>
      <td className="muted">{revision.author}</td>
      <td className="muted">
        <RelativeTime at={revision.created_at} />
      </td>
      <td>
        {revision.number !== head && (
          <Button kind="small" onClick={() => void session.restore(revision.number)}>
            Restore
          </Button>
        )}
      </td>
    </tr>
  );
}
