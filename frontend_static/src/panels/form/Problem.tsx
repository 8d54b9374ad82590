import type { Clash } from "./useDraft";
import { Button } from "../../ui/Button";
import { Pre } from "../../ui/Pre";

/** The reason that a typed text is not stored, and the text that was stored elsewhere meanwhile. */
export function Problem({ text, clash }: { text: string | null; clash?: Clash | null }) {
  return (
    <>
      {text && (
        <div className="problem" role="alert">
          {text}
        </div>
      )}
      {clash && (
        <div className="notice warning conflict-place" role="alert">
          <div>
            This was changed elsewhere while you typed. Your text is not saved yet. Theirs:
            <Pre aria-label="Theirs">{clash.theirs || "(nothing)"}</Pre>
            <div className="row">
              <Button kind="small" onClick={clash.keep}>
                Keep mine
              </Button>
              <Button kind="small" onClick={clash.take}>
                Take theirs
              </Button>
            </div>
          </div>
        </div>
      )}
    </>
  );
}
