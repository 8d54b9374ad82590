import type { ReactNode } from "react";
import { Check } from "../../ui/Check";
import { Button } from "../../ui/Button";

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
      <Check kind="start" on={paused} set={pause}>
        Start paused
      </Check>
      <Button onClick={close}>Cancel</Button>
      <Button type="submit" kind="primary" disabled={busy} onPointerDown={onPress}>
        {children}
      </Button>
    </>
  );
}
