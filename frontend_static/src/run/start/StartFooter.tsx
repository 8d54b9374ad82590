import type { ReactNode } from "react";

interface Props {
  paused: boolean;
  pause: (paused: boolean) => void;
  close: () => void;
  busy: boolean;
  /** Called when the submit button is pressed with the pointer, before it is released. */
  onPress?: () => void;
  /** The label of the submit button. */
  children: ReactNode;
}

/** The footer of dialogs that start a run. */
export function StartFooter({ paused, pause, close, busy, onPress, children }: Props) {
  return (
    <>
      <label className="check start">
        <input type="checkbox" checked={paused} onChange={(event) => pause(event.target.checked)} />
        Start paused
      </label>
      <button type="button" className="button" onClick={close}>
        Cancel
      </button>
      <button type="submit" className="button primary" disabled={busy} onPointerDown={onPress}>
        {children}
      </button>
    </>
  );
}
