import type { SyntheticEvent } from "react";
import { session, shallow, useSession } from "../../session";
import { exact } from "../../ui/formatTime";
import { useOpenTexts } from "../../ui/typedTexts";
import { panels } from "../panelState";
import { Button } from "../../ui/Button";
import { Mono } from "../../ui/Mono";

const LABELS = {
  saved: "Saved",
  saving: "Saving…",
  offline: "Not saved: the server cannot be reached. Trying again…",
  conflict: "Not saved: another person changed the same place",
} as const;

/**
 * The save status and the newest revision. With an open text, or files of a folder that are not
 * written yet, the status is never "Saved".
 */
export function SaveIndicator() {
  const { saveStatus, coming, folder, revision, savedAt, unsent, live } = useSession(
    (state) => ({
      saveStatus: state.saveStatus,
      coming: state.coming,
      folder: state.folder,
      revision: state.revision,
      savedAt: state.savedAt,
      unsent: state.unsent,
      live: state.connected,
    }),
    shallow,
  );
  const open = [...useOpenTexts().values()];
  const refused = open.filter((text) => text.status);
  const saving = coming > 0 || open.length > 0;
  const unwritten = folder !== null && folder.number < revision;
  const save = statusOf();
  function statusOf() {
    if (saveStatus === "conflict" || saveStatus === "offline") return saveStatus;
    if (refused.length) return "draft";
    if (saveStatus !== "saved" || saving) return "saving";
    if (unwritten) return folder.problem ? "unwritten" : "saving";
    return "saved";
  }
  const label =
    save === "draft" ? refused[0]!.status : save === "unwritten" ? folder?.problem : LABELS[save];
  const ready = useSession((state) => state.phase === "ready");
  if (!ready) return null;
  const title = () => {
    if (refused.length) return refused.map((text) => text.status).join("\n");
    if (save === "unwritten") return `${folder?.problem} Signalbox tries again.`;
    if (save !== "saved") return `${unsent + open.length} changes not saved yet`;
    const when = savedAt ? ` at ${exact(Date.parse(savedAt))}` : "";
    return `Saved${when}${live ? "" : " · not live"}`;
  };
  // The browser needs longer for its first date than for the whole button.
  const describe = (event: SyntheticEvent<HTMLElement>) => (event.currentTarget.title = title());
  return (
    <span className={`save ${save}`}>
      <Button
        kind="quiet small"
        data-saved={String(save === "saved")}
        onPointerEnter={describe}
        onFocus={describe}
        onClick={() =>
          session.state.conflict ? panels.open("conflict") : panels.showDrawer("history")
        }
      >
        <i className="save-dot" aria-hidden />
        <span role="status" aria-live="polite">
          {label}
        </span>
        <Mono kind="muted">r{revision}</Mono>
      </Button>
    </span>
  );
}
