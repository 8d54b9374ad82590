import { packs, useFetched, useSession, type Revision } from "../../session";

/**
 * The pack's revisions, newest first; null while loading. A new value of `again` fetches them
 * again.
 */
export function useRevisions(again = 0): Revision[] | null {
  const pack = useSession((state) => state.pack);
  const head = useSession((state) => state.revision);
  const page = useFetched(pack === null ? null : [pack, head, again], () => packs.revisions(pack!));
  return page && page.results;
}
