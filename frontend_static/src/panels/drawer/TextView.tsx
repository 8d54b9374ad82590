import { FileText } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import {
  packs,
  session,
  useSession,
  type FileText as Text,
  type TextRange,
  isFixed,
} from "../../session";
import { Code, type Mark } from "../../ui/code/Code";
import type { Language } from "../../ui/code/types";
import { panels, usePanels } from "../panelState";
import { useFiles } from "../useFiles";
import { selectAtCursor, useFollowedElement } from "./textSelection";
import { useLiveText } from "./liveText";
import { Problem } from "../form/Problem";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";

/**
 * The text of a file, as one with the canvas: the cursor selects its element, a selection shows its
 * lines, and what is typed is drawn as soon as it can be read.
 */
export function TextView() {
  const files = useFiles();
  const main = useSession((state) => state.packDetail?.main ?? "");
  const chosenPath = usePanels((state) => state.file);
  const jump = usePanels((state) => state.jump);
  const readOnly = useSession(isFixed);
  const texts = (files ?? []).filter((file) => file.text);
  const path =
    texts.find((file) => file.path === chosenPath)?.path ??
    texts.find((file) => file.path === main)?.path ??
    texts[0]?.path;
  const { file, ranges } = useFileText(path);
  const drawn = useSession((state) => state.fullGraph.states.size > 0);
  const problem = useSession(({ brokenText }) => (brokenText?.path === path ? brokenText : null));
  if (files && !path)
    return (
      <Empty Icon={FileText} title="No text files">
        This pack has no file that can be shown as text.
      </Empty>
    );
  if (!path) return <p className="pane-note">Loading…</p>;
  return (
    <div className="text-view">
      <div className="toolbar tight">
        <select
          className="input mono"
          translate="no"
          aria-label="File"
          value={path}
          onChange={(event) => panels.showFile(event.target.value)}
        >
          {texts.map((one) => (
            <option key={one.path}>{one.path}</option>
          ))}
        </select>
        {problem ? (
          <Button
            kind="link small text-problem"
            role="status"
            onClick={() => panels.showFile(path, problem.line)}
          >
            {`Line ${problem.line}: ${problem.message} ${drawn ? "The canvas shows the last text that could be read." : "Nothing is drawn until it can be read."}`}
          </Button>
        ) : (
          <span className="help">
            {readOnly ? "Read only" : "Applied as you type; one stretch of typing is one undo step"}
          </span>
        )}
      </div>
      {file && file.path === path && file.text !== undefined && (
        <FileEditor
          key={path}
          path={path}
          text={file.text}
          ranges={ranges}
          readOnly={readOnly}
          jump={jump}
        />
      )}
    </div>
  );
}

interface EditorProps {
  path: string;
  text: string;
  ranges: TextRange[];
  readOnly: boolean;
  jump: { line: number; n: number } | null;
}

function FileEditor({ path, text, ranges, readOnly, jump }: EditorProps) {
  const { codeProps, problem, clash } = useLiveText(path, text);
  const marks = useMarks(path, problem);
  const reveal = useFollowedElement(path, ranges);
  return (
    <>
      <Problem text={null} clash={clash} />
      <Code
        fill
        label={path}
        value={text}
        language={languageOf(path)}
        readOnly={readOnly}
        marks={marks}
        jump={jump}
        ranges={ranges}
        reveal={reveal}
        onCursor={selectAtCursor}
        {...codeProps}
      />
    </>
  );
}

/**
 * A file's text with its ranges, of one revision. While edits wait to be saved the shown one stays,
 * because an older answer would look like another user's change of what was typed.
 */
function useFileText(path: string | undefined): { file: Text | null; ranges: TextRange[] } {
  const pack = useSession((state) => state.pack);
  const revision = useSession((state) => state.revision);
  const [shown, setShown] = useState<{ file: Text | null; ranges: TextRange[] }>(NOTHING);
  const saved = useSession((state) => state.saveStatus === "saved");
  const latest = useRef(0);
  const shownPath = useRef<string | undefined>(undefined);
  shownPath.current = shown.file?.path;
  useEffect(() => {
    const mine = ++latest.current;
    if (pack === null || !path || (!saved && shownPath.current === path)) return;
    const answer = Promise.all([packs.file(pack, path), packs.textRanges(pack, path)]);
    session
      .reading(answer)
      .then(
        ([file, ranges]) => mine === latest.current && setShown({ file, ranges }),
        session.notifyError,
      );
  }, [pack, path, revision, saved]);
  return shown;
}
const NOTHING = { file: null, ranges: [] };

function useMarks(path: string | undefined, problem: Omit<Mark, "level"> | null): Mark[] {
  const findings = useSession((state) => state.findings);
  return useMemo(() => {
    if (problem) return [{ ...problem, level: "error" as const }];
    return findings
      .filter((one) => one.path === path && one.line > 0)
      .map((one) => ({
        line: one.line,
        level: one.level,
        message: `${one.code} ${one.message}`,
      }));
  }, [findings, path, problem]);
}

function languageOf(path: string): Language {
  if (/\.(json|jsonc|cdnx?)$/i.test(path)) return "json";
  if (/\.(md|markdown|txt|prompt)$/i.test(path)) return "markdown";
  return /\.ya?ml$/i.test(path) ? "yaml" : "text";
}
