import { GitBranch } from "lucide-react";
import { useState } from "react";
import { useRunStore } from "../model/runStore";
import { KeepBranchDialog } from "./KeepBranchDialog";
import { Button } from "../../ui/Button";

/** Shown after a run that changed a repository. */
export function KeepBranchButton() {
  const run = useRunStore((state) => state.run);
  const saved = useRunStore((state) => state.head.savedCommit !== "");
  const [keeping, setKeeping] = useState(false);
  if (!run || !saved) return null;
  return (
    <>
      <Button kind="small" onClick={() => setKeeping(true)}>
        <GitBranch className="icon" aria-hidden /> Keep as branch
      </Button>
      {keeping && <KeepBranchDialog run={run} close={() => setKeeping(false)} />}
    </>
  );
}
