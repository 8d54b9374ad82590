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

/** The save status and the newest revision. */
export function SaveIndicator() {
  const { save, revision, savedAt, unsent, live } = useSession(
    (state) => ({
      save: state.saveStatus,
      revision: state.revision,
      savedAt: state.savedAt,
      unsent: state.unsent,
      live: state.connected,
    }),
    shallow,
  );
  const ready = useSession((state) => state.phase === "ready");
  if (!ready) return null;
  const title = () => {
    if (save !== "saved") return `${unsent} changes not saved yet`;
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
          {LABELS[save]}
        </span>
        <span className="mono muted">r{revision}</span>
      </button>
    </span>
  );
}
