import { useEffect, useState } from "react";
import { packs, session, useSession, type PackFile } from "../session";

/** The files of the shown revision; null while they are fetched. */
export function useFiles(): PackFile[] | null {
  const pack = useSession((state) => state.pack);
  const revision = useSession((state) => state.revision);
  const [files, setFiles] = useState<PackFile[] | null>(null);
  useEffect(() => {
    if (pack === null || revision === 0) return;
    let active = true;
    packs.files(pack).then((fetched) => active && setFiles(fetched), session.notifyError);
    return () => {
      active = false;
    };
  }, [pack, revision]);
  return files;
}
