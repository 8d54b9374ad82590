import type { ReactNode } from "react";

interface Props {
  paused: boolean;
  pause: (paused: boolean) => void;
  close: () => void;
  busy: boolean;
  /** What the button that begins the run says. */
  children: ReactNode;
}

/** Below every dialog that begins a run. */
export function StartFooter({ paused, pause, close, busy, children }: Props) {
  return (
    <>
      <label className="check start">
        <input type="checkbox" checked={paused} onChange={(event) => pause(event.target.checked)} />
        Start paused
      </label>
      <button type="button" className="button" onClick={close}>
        Cancel
      </button>
      <button type="submit" className="button primary" disabled={busy}>
        {children}
      </button>
    </>
  );
}
