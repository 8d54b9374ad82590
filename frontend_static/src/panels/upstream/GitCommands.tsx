import { useState } from "react";
import { Button } from "../../ui/Button";
import { Pre } from "../../ui/Pre";

/** Commands for a terminal, with a button that copies all of them. */
export function GitCommands({ commands }: { commands: readonly string[] }) {
  const [label, setLabel] = useState("Copy");
  const text = commands.join("\n");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setLabel("Copied");
    } catch {
      setLabel("Select and press Ctrl+C");
    }
  };
  return (
    <details className="git-commands">
      <summary>Commands for git</summary>
      <p className="help">In your own clone, they merge the branch without a forge.</p>
      <Pre tabIndex={0} aria-label="Git commands">
        {text}
      </Pre>
      <Button kind="small" onClick={() => void copy()}>
        {label}
      </Button>
    </details>
  );
}
