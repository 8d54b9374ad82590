/** Text that is applied while it is typed. A text that cannot be read stays in its editor. */

import { useEffect, useMemo, useRef } from "react";
import { packs, session, useSession } from "../../session";
import { outcomeProblem } from "../form/formContext";
import { withLineEndings } from "../form/lineEndings";
import { useDraft } from "../form/useDraft";

/** The editor of a file's text, and the place of the first problem of what is typed. */
export function useLiveText(path: string, original: string) {
  const pack = useSession((state) => state.pack) ?? "";
  const broken = useSession((state) => state.brokenText);
  const newest = useRef(original);
  newest.current = original;
  const { codeProps, clash } = useDraft({
    place: `file ${path}`,
    label: "Text",
    saved: original.replace(/\r\n?/g, "\n"),
    apply: async (typed) => {
      const text = withLineEndings(newest.current, typed);
      const found = await packs.checkText(pack, path, text);
      if (!found.readable) {
        const [first] = found.findings;
        const line = Math.max(first?.line ?? 1, 1);
        const message = first?.message ?? "The text cannot be read.";
        session.setBrokenDraft({ path, line, message });
        return `line ${line}: ${message}`;
      }
      session.setBrokenDraft(null);
      return outcomeProblem(
        await session.typed(`file ${path}`, [{ type: "write_file", path, text }]),
      );
    },
    live: true,
  });
  useEffect(() => {
    session.setBrokenDraft(null);
  }, [path]);
  const problem = useMemo(
    () => (broken && broken.path === path ? { line: broken.line, message: broken.message } : null),
    [broken, path],
  );
  return { codeProps, problem, clash };
}
