import type { Proposed } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { GitCommands } from "./GitCommands";
import { Button } from "../../ui/Button";

/** The result of a proposal, with a link to its pull request. */
export function ProposedDialog({ done, close }: { done: Proposed; close: () => void }) {
  const { change } = done;
  return (
    <Dialog
      title="Proposed"
      onClose={close}
      footer={
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <p>
        <code translate="no">{done.commit.slice(0, 12)}</code> was pushed to{" "}
        <code translate="no">{change.branch}</code>.
      </p>
      {change.url && (
        <p>
          <a href={change.url} data-pull-request={change.number ?? undefined}>
            Pull request #{change.number}: {change.title}
          </a>
        </p>
      )}
      {done.problem && (
        <p className="notice warning" role="alert">
          There is no pull request yet. {done.problem}
        </p>
      )}
      <GitCommands commands={done.commands} />
    </Dialog>
  );
}
