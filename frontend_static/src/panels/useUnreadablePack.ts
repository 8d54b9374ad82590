import { useEffect } from "react";
import { useSession } from "../session";
import { panels } from "./panelState";

/** Open the text at the place of the first error if a pack cannot be drawn when it is opened. */
export function useUnreadablePack(): void {
  const pack = useSession((state) => (state.phase === "ready" ? state.pack : null));
  const error = useSession((state) =>
    state.fullGraph.states.size > 0
      ? undefined
      : state.findings.find((one) => one.level === "error" && one.path),
  );
  const place = pack && error ? `${error.path}\n${error.line}` : "";
  useEffect(() => {
    if (!error || !place) return;
    const { drawer, drawerTab } = panels.state;
    panels.showFile(error.path, Math.max(1, error.line));
    // The next pack opens as its author left the panes.
    addEventListener("pagehide", () => panels.set({ drawer, drawerTab }), { once: true });
    // Only when the pack is opened: later errors are listed while the author types.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [pack]);
}
