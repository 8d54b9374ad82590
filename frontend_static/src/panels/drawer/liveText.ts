/** Text that is applied while it is typed. A text that cannot be read is kept as a draft. */

import { useEffect, useMemo, useRef } from "react";
import { packs, session, useSession, type FileText } from "../../session";
import { withLineEndings } from "../form/lineEndings";

/** Unsaved texts that cannot be read: pack and path → text. They outlive the editor. */
export const drafts = new Map<string, string>();

/** A pause after which typing begins a new undo step. */
const NEW_STEP_MS = 10_000;
let undoGroup = { path: "", id: "", at: 0 };

function groupFor(path: string): string {
  const now = Date.now();
  if (undoGroup.path !== path || now - undoGroup.at > NEW_STEP_MS)
    undoGroup = { path, id: `text-${now.toString(36)}`, at: now };
  undoGroup.at = now;
  return undoGroup.id;
}

interface LiveText {
  key: string;
  problem: { line: number; message: string } | null;
  check: (text: string) => Promise<boolean>;
  save: (text: string) => void;
}

export function useLiveText(path: string | undefined, file: FileText | null): LiveText {
  const pack = useSession((state) => state.pack);
  const broken = useSession((state) => state.brokenText);
  const newest = useRef({ pack, path, original: file?.text });
  newest.current = { pack, path, original: file?.path === path ? file?.text : undefined };
  const key = `${pack}|${path}`;
  useEffect(() => {
    const draft = drafts.get(key);
    if (draft === undefined) session.setBrokenDraft(null);
  }, [key]);
  const actions = useMemo(() => {
    let last = 0;
    const written = (text: string) => withLineEndings(newest.current.original ?? "", text);
    const check = async (text: string): Promise<boolean> => {
      const { pack: id, path: name, original } = newest.current;
      if (id === null || !name || original === undefined) return false;
      const mine = ++last;
      const draftKey = `${id}|${name}`;
      try {
        const found = await packs.checkText(id, name, written(text));
        if (mine !== last) return false;
        if (found.readable) {
          drafts.delete(draftKey);
          session.setBrokenDraft(null);
          return true;
        }
        const first = found.findings[0];
        drafts.set(draftKey, text);
        session.setBrokenDraft({
          path: name,
          line: Math.max(first?.line ?? 1, 1),
          message: first?.message ?? "The text cannot be read.",
        });
      } catch {
        // Without a server nothing is checked; Ctrl+Enter still queues the text.
        drafts.set(draftKey, text);
      }
      return false;
    };
    return {
      check: (text: string): Promise<boolean> => session.awaitEdit(check(text)),
      save: (text: string): void => {
        const { path: name, original } = newest.current;
        if (original === undefined || !name) return;
        drafts.delete(`${newest.current.pack}|${name}`);
        const group = groupFor(name);
        void session.edit([{ type: "write_file", path: name, text: written(text), group }]);
      },
    };
  }, []);
  const problem = useMemo(
    () => (broken && broken.path === path ? { line: broken.line, message: broken.message } : null),
    [broken, path],
  );
  return { key, problem, ...actions };
}
