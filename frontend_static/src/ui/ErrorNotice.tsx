/** Why a dialog's work was not done, and what to do about it. */

export function ErrorNotice({ message, hint }: { message: string; hint: string }) {
  return (
    <div className="notice error" role="alert">
      <div>
        {message} {hint && <div className="help">{hint}</div>}
      </div>
    </div>
  );
}
