import { shallow } from "../../session";
import { useRunStore } from "../model/runStore";

/** While a long log loads: positions, search and story are those of its first events. */
export function LoadingNote() {
  const { last, missing } = useRunStore(
    (state) => ({ last: state.last, missing: state.missing }),
    shallow,
  );
  if (missing === 0) return null;
  return (
    <span className="small muted" data-run-loading={missing}>
      Loading: {last.toLocaleString("en")} of {(last + missing).toLocaleString("en")} events
    </span>
  );
}
