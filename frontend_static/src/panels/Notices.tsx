import { CircleAlert, CircleCheck, Lightbulb, TriangleAlert, X } from "lucide-react";
import { session, useSession, type Notice } from "../session";
import { Button } from "../ui/Button";

const ICONS = {
  error: CircleAlert,
  warning: TriangleAlert,
  hint: Lightbulb,
  ok: CircleCheck,
} as const;

export function Notices() {
  const notices = useSession((state) => state.notices);
  return (
    <div className="toasts" role="region" aria-label="Notices" aria-live="polite">
      {notices.map((notice) => (
        <Toast key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Toast({ notice }: { notice: Notice }) {
  const Icon = ICONS[notice.level];
  return (
    <div className={`toast ${notice.level}`} role={notice.level === "error" ? "alert" : "status"}>
      <Icon className={`icon level-${notice.level}`} aria-hidden />
      <div className="what">
        <div>{notice.text}</div>
        {notice.hint && <div className="help">{notice.hint}</div>}
        {notice.action && (
          <Button
            kind="small"
            onClick={() => {
              void notice.action?.run();
              session.dismiss(notice.id);
            }}
          >
            {notice.action.title}
          </Button>
        )}
      </div>
      <Button
        kind="quiet small icon-only"
        aria-label="Dismiss"
        onClick={() => session.dismiss(notice.id)}
      >
        <X className="icon" aria-hidden />
      </Button>
    </div>
  );
}
