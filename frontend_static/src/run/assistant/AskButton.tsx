import { Sparkles } from "lucide-react";
import { Button } from "../../ui/Button";
import { assistant, type Draft } from "./assistantStore";

/** Prepares a request to the assistant, which its user reads and sends. */
export function AskButton({ request, about }: Draft) {
  return (
    <Button kind="small" onClick={() => assistant.prepare({ request, about })}>
      <Sparkles className="icon" aria-hidden /> Ask the assistant
    </Button>
  );
}
