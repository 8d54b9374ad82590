import type { LucideIcon } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Dialog } from "./Dialog";
import { ErrorNotice } from "./ErrorNotice";
import { errorMessage } from "./errorText";
import { Button } from "./Button";

interface Props {
  title: string;
  close: () => void;
  /** Called by the main button. The error of a rejected promise is shown. */
  send: () => Promise<void>;
  /** The main button, and its text while `send` works. */
  button: string;
  busyButton?: string;
  icon?: LucideIcon;
  disabled?: boolean;
  wide?: boolean;
  /** The error of another request of the dialog, or null. */
  failure?: unknown;
  children: ReactNode;
}

/** A dialog with fields, "Cancel", and a button that sends them. */
export function SendDialog(props: Props) {
  const { title, close, send, button, icon: Icon, disabled, failure = null, children } = props;
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const shown = error ?? failure;
  const submit = async () => {
    if (busy || disabled) return;
    setBusy(true);
    setError(null);
    await send().catch(setError);
    setBusy(false);
  };
  return (
    <Dialog
      wide={props.wide}
      title={title}
      onClose={close}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={busy || disabled}>
            {Icon && <Icon className="icon" aria-hidden />} {(busy && props.busyButton) || button}
          </Button>
        </>
      }
    >
      {shown !== null && <ErrorNotice {...errorMessage(shown)} />}
      {children}
    </Dialog>
  );
}
