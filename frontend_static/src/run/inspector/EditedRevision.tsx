import { useSession } from "../../session";
import { useRunStore } from "../model/runStore";
import { siteUrl } from "../../ui/siteUrl";

/** The revision that the form edits, and the one that the run executes. */
export function EditedRevision() {
  const readOnly = useSession((state) => state.readOnly);
  const newest = useSession((state) => state.revision);
  const pack = useSession((state) => state.pack);
  const executed = useRunStore((state) => state.run?.revision ?? 0);
  if (readOnly)
    return (
      <p className="edited-revision small" data-revision={executed || newest}>
        Revision {executed || newest}, which this run executes. It cannot be changed;{" "}
        <a href={siteUrl(`/packs/${pack}/`)}>open the newest revision</a> to edit.
      </p>
    );
  return (
    <p className="edited-revision small" data-revision={newest}>
      You edit revision {newest}.{" "}
      {executed > 0 && executed !== newest && <>This run executes revision {executed}; </>}
      {executed === newest && <>This run executes it too; </>}
      {executed > 0 && <>changes apply to later runs.</>}
    </p>
  );
}
