import { useState, type ReactNode } from "react";
import { runs, session, type RunResult } from "../../session";
import { focusState } from "../model/focusState";
import { runStore, useRunStore } from "../model/runStore";
import { ForkDialog } from "../start/ForkDialog";
import { Button } from "../../ui/Button";
import { siteUrl } from "../../ui/siteUrl";

type Fix = RunResult["fixes"][number];

/** Ways to mend a failed or paused run, one click each. */
export function Fixes({ fixes }: { fixes: readonly Fix[] }) {
  const run = useRunStore((state) => state.run);
  const last = useRunStore((state) => state.last);
  const [forking, setForking] = useState(false);
  if (!run || fixes.length === 0) return null;
  const pack = siteUrl(`/packs/${run.pack}/`);
  const retry = async () => {
    try {
      const forked = await runs.fork(run.id, { at: last });
      location.assign(siteUrl(`/runs/${forked.run.id}/`));
    } catch (error) {
      session.notifyError(error);
    }
  };
  const entryOf = ({ kind, text, name }: Fix): ReactNode => {
    const link = (href: string) => (
      <a className="button small" href={href}>
        {text}
      </a>
    );
    const button = (run: () => void) => (
      <Button kind="small" onClick={run}>
        {text}
      </Button>
    );
    const named = encodeURIComponent(name);
    switch (kind) {
      case "resume":
        return button(() => void runStore.signal({ type: "resume" }));
      case "connection":
        return link(siteUrl(`/settings/?connection=${named}`));
      case "other_connection":
        return button(() => setForking(true));
      case "state":
        return button(() => focusState(name));
      case "tool":
        return link(`${pack}?tool=${named}`);
      case "retry":
        return button(() => void retry());
      case "again":
      case "limits":
        return link(`${pack}?again=${run.id}`);
    }
  };
  return (
    <span className="fixes" role="group" aria-label="Ways to continue">
      {fixes.map((fix) => (
        <span key={`${fix.kind} ${fix.name}`} data-fix={fix.kind}>
          {entryOf(fix)}
        </span>
      ))}
      {forking && <ForkDialog run={run} driver="model" at={last} close={() => setForking(false)} />}
    </span>
  );
}
