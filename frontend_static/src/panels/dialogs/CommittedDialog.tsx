import type { GitExported } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { Button } from "../../ui/Button";
import { Pre } from "../../ui/Pre";

/** The result of an export to git. */
export function CommittedDialog({ done, close }: { done: GitExported; close: () => void }) {
  return (
    <Dialog
      title={done.unchanged ? "Nothing to commit" : "Committed"}
      onClose={close}
      footer={
        <Button kind="primary" onClick={close}>
          Done
        </Button>
      }
    >
      {done.unchanged ? (
        <p>
          The pack has no changes since <code translate="no">{done.commit.slice(0, 12)}</code>.
        </p>
      ) : (
        <>
          <p>
            <code translate="no">{done.commit.slice(0, 12)}</code> on{" "}
            <code translate="no">{done.branch}</code> with{" "}
            {done.files.length === 1 ? "one file" : `${done.files.length} files`}:
          </p>
          <Pre className="small">
            {done.files.map((file) => `${file.change} ${file.path}`).join("\n")}
          </Pre>
        </>
      )}
    </Dialog>
  );
}
