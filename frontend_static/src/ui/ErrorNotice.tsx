import type { ErrorMessage } from "./errorText";

/** An error and its hint, as shown in dialogs. */

export function ErrorNotice({ message, hint }: ErrorMessage) {
  return (
    <div className="notice error" role="alert">
      <div>
        {message} {hint && <div className="help">{hint}</div>}
      </div>
    </div>
  );
}
