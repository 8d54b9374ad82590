import { FilePlus2, FileText, Trash2 } from "lucide-react";
import { useState } from "react";
import { session, type PackFile } from "../../session";
import { panels, usePanels } from "../panelState";
import { shortenPath, groupByFolder } from "./groupByFolder";
import { IconButton } from "../../ui/IconButton";
import { useFiles } from "../useFiles";
import { keyOf } from "../../ui/keys";
import { useAsked } from "../../ui/useAsked";
import { Button } from "../../ui/Button";

/** The files of the pack. */
export function Files() {
  const files = useFiles();
  const openPath = usePanels((state) => state.file);
  const [adding, setAdding] = useState(false);
  if (!files) return <p className="pane-note">Loading…</p>;
  return (
    <div className="outline">
      {groupByFolder(files).map((folder) => (
        <section key={folder.path} className="folder" aria-label={folder.path || "Files"}>
          {folder.path && (
            <h2 className="truncate" translate="no" title={folder.path}>
              {shortenPath(folder.path)}
            </h2>
          )}
          {folder.files.map(({ name, file }) => (
            <FileRow key={file.path} name={name} file={file} isOpen={openPath === file.path} />
          ))}
        </section>
      ))}
      {adding ? (
        <NewFile done={() => setAdding(false)} />
      ) : (
        <Button kind="quiet small add" onClick={() => setAdding(true)}>
          <FilePlus2 className="icon" aria-hidden /> New file
        </Button>
      )}
    </div>
  );
}

function FileRow({ name, file, isOpen }: { name: string; file: PackFile; isOpen: boolean }) {
  return (
    <div className="file-row">
      <button
        type="button"
        className="outline-row mono"
        translate="no"
        aria-current={isOpen || undefined}
        disabled={!file.text}
        title={`${file.path} · ${size(file.size)}${file.text ? "" : " · not text"}`}
        onClick={() => panels.showFile(file.path)}
      >
        <FileText className="icon" aria-hidden />
        <span className="truncate" translate="no">
          {name}
        </span>
      </button>
      <IconButton label={`Remove ${file.path}`} onClick={() => remove(file.path)} Icon={Trash2} />
    </div>
  );
}

function remove(path: string): void {
  void session.edit([{ type: "remove_file", path }]).then((outcome) => {
    if (outcome.ok) session.notify(`${path} was removed.`, "hint", "Undo restores it.");
  });
}

function NewFile({ done }: { done: () => void }) {
  const add = async (path: string) => {
    done();
    if (!path) return;
    const outcome = await session.edit([{ type: "write_file", path, text: "" }]);
    if (outcome.ok) panels.showFile(path);
  };
  const [typed, setTyped] = useState(false);
  useAsked("Path of the new file", typed);
  return (
    <input
      className="input mono"
      autoFocus
      onChange={(event) => setTyped(event.target.value !== "")}
      aria-label="Path of the new file"
      placeholder="folder/file.md, then Enter"
      spellCheck={false}
      onBlur={(event) => void add(event.target.value.trim())}
      onKeyDown={(event) => {
        if (keyOf(event) === "Enter") event.currentTarget.blur();
        if (keyOf(event) === "Escape") done();
      }}
    />
  );
}

function size(bytes: number): string {
  return bytes < 1000 ? `${bytes} B` : `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
}
