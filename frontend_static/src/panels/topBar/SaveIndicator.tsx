import type { SyntheticEvent } from "react";
import { session, shallow, useSession } from "../../session";
import { exact } from "../../ui/formatTime";
import { panels } from "../panelState";

const LABELS = {
  saved: "Saved",
  saving: "Saving…",
  offline: "Not saved: the server cannot be reached. Trying again…",
  conflict: "Not saved: another person changed the same place",
} as const;

/** The save status and the newest revision. A pack of a folder is saved when its files are. */
export function SaveIndicator() {
  const { stored, folder, revision, savedAt, unsent, live } = useSession(
    (state) => ({
      stored: state.saveStatus,
      folder: state.folder,
      revision: state.revision,
      savedAt: state.savedAt,
      unsent: state.unsent,
      live: state.connected,
    }),
    shallow,
  );
  const ready = useSession((state) => state.phase === "ready");
  if (!ready) return null;
  const unwritten = stored === "saved" && folder !== null && folder.number < revision;
  const save = !unwritten ? stored : folder.problem ? "unwritten" : "saving";
  const label = save === "unwritten" ? folder?.problem : LABELS[save];
  const title = () => {
    if (unwritten && folder.problem) return `${folder.problem} Signalbox tries again.`;
    if (stored !== "saved") return `${unsent} changes not saved yet`;
    const when = savedAt ? ` at ${exact(Date.parse(savedAt))}` : "";
    return `Saved${when}${live ? "" : " · not live"}`;
  };
  // The browser needs longer for its first date than for the whole button.
  const describe = (event: SyntheticEvent<HTMLElement>) => (event.currentTarget.title = title());
  return (
    <span className={`save ${save}`}>
      <button
        type="button"
        className="button quiet small"
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
        <span className="mono muted">r{revision}</span>
      </button>
    </span>
  );
}
