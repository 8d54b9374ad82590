import { session, type Conflict, type Edit } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { Button } from "../../ui/Button";
import { Mono } from "../../ui/Mono";
import { Pre } from "../../ui/Pre";

/** Shows both sides of a conflict. Nothing is discarded without the user's decision. */
export function ConflictDialog({ conflict, close }: { conflict: Conflict; close: () => void }) {
  const resolve = (how: "reapply" | "discard") => {
    close();
    void session.resolveConflict(how);
  };
  return (
    <Dialog
      wide
      title="Another person changed the same place"
      onClose={close}
      footer={
        <>
          <Button kind="danger start" onClick={() => resolve("discard")}>
            Keep theirs, drop mine
          </Button>
          <Button onClick={close}>Decide later</Button>
          <Button kind="primary" onClick={() => resolve("reapply")}>
            Put mine on top of theirs
          </Button>
        </>
      }
    >
      <p>
        Your changes were made on an older revision; the pack is at r{conflict.head} now. Both
        versions are kept until you decide.
      </p>
      <div className="side-by-side">
        <section>
          <h3>Theirs</h3>
          <ul>
            {(conflict.theirs ?? []).map((one) => (
              <li key={one.number}>
                <Mono>r{one.number}</Mono> {one.summary}{" "}
                <span className="muted">by {one.author}</span>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h3>Yours</h3>
          <ul>
            {(conflict.yours ?? []).map((edit, index) => (
              <li key={index}>{describeEdit(edit)}</li>
            ))}
          </ul>
        </section>
      </div>
      {(conflict.places ?? []).map((place) => (
        <section key={`${place.path}${place.line}`} className="conflict-place">
          <h3 className="mono" translate="no">
            {place.path}
            {place.line > 0 && `:${place.line}`}
          </h3>
          <div className="side-by-side">
            <Pre aria-label="Theirs">{place.theirs}</Pre>
            <Pre aria-label="Yours">{place.yours}</Pre>
          </div>
        </section>
      ))}
    </Dialog>
  );
}

/** An edit as text: its type and its values. */
function describeEdit(edit: Edit): string {
  const { type, ...rest } = edit;
  const values = Object.values(rest).map((value) =>
    typeof value === "string" ? value : JSON.stringify(value),
  );
  const text = `${type.replace(/_/g, " ")} ${values.join(" · ")}`;
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
