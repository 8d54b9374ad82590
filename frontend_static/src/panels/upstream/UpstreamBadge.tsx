import {
  ArrowDownToLine,
  FolderGit2,
  GitBranch,
  GitPullRequestArrow,
  RefreshCw,
} from "lucide-react";
import { useEffect } from "react";
import { packs, runCommand, session, useSession, type UpstreamState } from "../../session";
import { Menu } from "../../ui/Menu";
import { STATUS_LABELS, upstreams, useUpstream } from "./upstreamStore";
import { Button } from "../../ui/Button";
import { siteUrl } from "../../ui/siteUrl";

/** Milliseconds after a new revision until the state is requested again. */
const PAUSE = 600;
const EVERY = 60_000;

/** The state of the pack in its repository, with a menu. Nothing for other packs. */
export function UpstreamBadge() {
  const upstream = useFreshUpstream();
  if (!upstream) return null;
  const label = STATUS_LABELS[upstream.status];
  const { repository, change } = upstream;
  return (
    <span data-upstream={upstream.status}>
      <Menu
        label={`Repository ${repository.name}, branch ${upstream.branch}: ${label}`}
        className={`button quiet small upstream-badge ${upstream.status}`}
        button={
          <>
            <GitBranch className="icon" aria-hidden /> {label}
          </>
        }
        items={[
          {
            id: "pull",
            title: "Pull…",
            icon: <ArrowDownToLine className="icon" aria-hidden />,
            disabled: upstream.status === "gone",
            run: () => runCommand("upstream.pull"),
          },
          {
            id: "propose",
            title: "Propose…",
            icon: <GitPullRequestArrow className="icon" aria-hidden />,
            disabled: repository.git_wins,
            run: () => runCommand("upstream.propose"),
          },
          {
            id: "fetch",
            title: "Fetch",
            icon: <RefreshCw className="icon" aria-hidden />,
            run: () => runCommand("upstream.fetch"),
          },
          {
            id: "follow",
            title: "Follow another branch…",
            icon: <GitBranch className="icon" aria-hidden />,
            run: () => runCommand("upstream.follow"),
          },
          ...(change?.url
            ? [
                {
                  id: "request",
                  title: `Pull request #${change.number ?? ""}`,
                  icon: <GitPullRequestArrow className="icon" aria-hidden />,
                  href: change.url,
                },
              ]
            : []),
          {
            id: "page",
            title: `Repository ${repository.name}`,
            icon: <FolderGit2 className="icon" aria-hidden />,
            href: siteUrl(`/repositories/${repository.id}/`),
          },
        ]}
      />
    </span>
  );
}

/** Shown above the canvas of a pack that only git changes. */
export function GitWinsNotice() {
  const upstream = useUpstream((state) => state.upstream);
  if (!upstream?.repository.git_wins) return null;
  return (
    <aside className="git-wins" aria-label="Read-only pack" data-git-wins>
      This pack is read-only here: it follows the branch {upstream.branch} of{" "}
      <a href={siteUrl(`/repositories/${upstream.repository.id}/`)}>{upstream.repository.name}</a>.
      Commit changes there.
    </aside>
  );
}

/** Shown while a change in the opened folder waits for a decision and its panel is closed. */
export function FolderConflictNotice() {
  const conflict = useUpstream((state) => state.folderConflict);
  const isOpen = useUpstream((state) => state.decision !== null);
  if (!conflict || isOpen) return null;
  return (
    <aside className="git-wins" aria-label="Conflict with the folder" data-folder-conflict>
      A change in the folder met your edit in the same place. The folder’s version is shown.{" "}
      <Button kind="small" onClick={upstreams.openFolderConflict}>
        Resolve conflicts
      </Button>
    </aside>
  );
}

/** Fetch the repository, then show the new state. */
export async function fetchRepository(): Promise<void> {
  const { upstream } = upstreams.state;
  if (!upstream) return;
  try {
    const row = await packs.fetchRepository(upstream.repository.id);
    session.notify(row.problem || `${row.name} was fetched.`, row.problem ? "error" : "ok");
  } catch (error) {
    session.notifyError(error);
  }
  await upstreams.refresh();
}

/** The state, requested again after each revision and every minute. */
function useFreshUpstream(): UpstreamState | null {
  const ready = useSession((state) => state.phase === "ready" && !state.readOnly);
  const revision = useSession((state) => state.revision);
  const upstream = useUpstream((state) => state.upstream);
  const follows = useUpstream((state) => state.upstream !== null || state.folderConflict !== null);
  const metFolderAt = useSession((state) => state.metFolderAt);
  useEffect(() => {
    if (ready) void upstreams.refresh();
  }, [ready, metFolderAt]);
  useEffect(() => {
    if (!follows) return;
    const soon = setTimeout(() => void upstreams.refresh(), PAUSE);
    const again = setInterval(() => {
      if (!document.hidden) void upstreams.refresh();
    }, EVERY);
    return () => {
      clearTimeout(soon);
      clearInterval(again);
    };
  }, [follows, revision]);
  return ready ? upstream : null;
}
