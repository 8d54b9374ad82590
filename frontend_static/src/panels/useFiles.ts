import { packs, useFetched, useSession, type PackFile } from "../session";

/** The files of the shown revision; null while they are fetched. */
export function useFiles(): PackFile[] | null {
  const pack = useSession((state) => state.pack);
  const revision = useSession((state) => state.revision);
  return useFetched(pack === null || revision === 0 ? null : [pack, revision], () =>
    packs.files(pack!),
  );
}
