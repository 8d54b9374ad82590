import { useEffect, useState } from "react";
import { packs, session, useSession, type Revision } from "../../session";

/**
 * The pack's revisions, newest first; null while loading. A new value of `again` fetches them
 * again.
 */
export function useRevisions(again = 0): Revision[] | null {
  const pack = useSession((state) => state.pack);
  const head = useSession((state) => state.revision);
  const [revisions, setRevisions] = useState<Revision[] | null>(null);
  useEffect(() => {
    if (pack === null) return;
    let active = true;
    packs.revisions(pack).then((page) => active && setRevisions(page.results), session.notifyError);
    return () => {
      active = false;
    };
  }, [pack, head, again]);
  return revisions;
}
