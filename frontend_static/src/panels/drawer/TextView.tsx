import { FileText } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { packs, session, useSession, type FileText as Text } from "../../session";
import { Code, type Mark } from "../../ui/code/Code";
import type { Language } from "../../ui/code/types";
import { withLineEndings } from "../form/lineEndings";
import { panels, usePanels } from "../panelState";
import { useFiles } from "../useFiles";

/** The text of a file. Leaving the editor or Ctrl+Enter saves it as one edit. */
export function TextView() {
  const files = useFiles();
  const main = useSession((state) => state.packDetail?.main ?? "");
  const chosenPath = usePanels((state) => state.file);
  const jump = usePanels((state) => state.jump);
  const readOnly = useSession((state) => state.readOnly);
  const texts = (files ?? []).filter((file) => file.text);
  const path =
    texts.find((file) => file.path === chosenPath)?.path ??
    texts.find((file) => file.path === main)?.path ??
    texts[0]?.path;
  const file = useFileText(path);
  const marks = useMarks(path);
  if (files && !path)
    return (
      <div className="empty">
        <FileText className="icon" aria-hidden />
        <h3>No text files</h3>
        <p>This pack has no file that can be shown as text.</p>
      </div>
    );
  if (!path) return <p className="pane-note">Loading…</p>;
  const save = (edited: string) => {
    if (file?.text === undefined) return;
    void session.edit([{ type: "write_file", path, text: withLineEndings(file.text, edited) }]);
  };
  return (
    <div className="text-view">
      <div className="toolbar tight">
        <select
          className="input mono"
          aria-label="File"
          value={path}
          onChange={(event) => panels.showFile(event.target.value)}
        >
          {texts.map((one) => (
            <option key={one.path}>{one.path}</option>
          ))}
        </select>
        <span className="help">
          {readOnly
            ? "Read only"
            : "Saved as one edit when you leave the editor or press Ctrl+Enter"}
        </span>
      </div>
      {file && file.path === path && file.text !== undefined && (
        <Code
          key={path}
          fill
          label={path}
          value={file.text}
          language={languageOf(path)}
          readOnly={readOnly}
          marks={marks}
          jump={jump}
          onCommit={save}
          onClash={() => notifyClash(path)}
        />
      )}
    </div>
  );
}

function notifyClash(path: string): void {
  session.notify(
    `${path} was changed where you are typing.`,
    "warning",
    "Saving puts your text there; the other one stays in the history.",
  );
}

function useFileText(path: string | undefined): Text | null {
  const pack = useSession((state) => state.pack);
  const revision = useSession((state) => state.revision);
  const [file, setFile] = useState<Text | null>(null);
  useEffect(() => {
    if (pack === null || !path) return;
    let active = true;
    packs.file(pack, path).then((fetched) => active && setFile(fetched), session.notifyError);
    return () => {
      active = false;
    };
  }, [pack, path, revision]);
  return file;
}

function useMarks(path: string | undefined): Mark[] {
  const findings = useSession((state) => state.findings);
  return useMemo(
    () =>
      findings
        .filter((one) => one.path === path && one.line > 0)
        .map((one) => ({
          line: one.line,
          level: one.level,
          message: `${one.code} ${one.message}`,
        })),
    [findings, path],
  );
}

function languageOf(path: string): Language {
  if (/\.(json|jsonc|cdnx?)$/i.test(path)) return "json";
  if (/\.(md|markdown|txt|prompt)$/i.test(path)) return "markdown";
  return /\.ya?ml$/i.test(path) ? "yaml" : "text";
}
