/** A relative time that updates while the page is open, with the exact time as its title. */

import { useEffect, useState } from "react";
import { exact, relative } from "./formatTime";

export function RelativeTime({ at }: { at: string | number }) {
  const moment = typeof at === "number" ? at : Date.parse(at);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  if (Number.isNaN(moment)) return null;
  return (
    <time dateTime={new Date(moment).toISOString()} title={exact(moment)}>
      {relative(moment, Math.max(now, moment))}
    </time>
  );
}
