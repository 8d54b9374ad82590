import { Package } from "lucide-react";
import { shownRun, useShownRun } from "./shown";
import { focusState } from "./RunBar";

/** The values the run keeps, as they were at the shown event. */
export function Artifacts() {
  const artifacts = useShownRun((shown) => shown.view.artifacts);
  const names = Object.keys(artifacts);
  if (names.length === 0)
    return (
      <div className="empty">
        <Package className="icon" aria-hidden />
        <h3>Nothing kept yet</h3>
        <p>Plans, decisions and other named values appear here when a state writes them.</p>
      </div>
    );
  return (
    <div className="scroll">
      <table className="table dense top">
        <thead>
          <tr>
            <th>Name</th>
            <th>Value</th>
            <th>Written by</th>
            <th className="number">Event</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const { value, state, n, writes } = artifacts[name]!;
            return (
              <tr key={name}>
                <td className="mono">
                  {name} {writes > 1 && <span className="badge">×{writes}</span>}
                </td>
                <td>
                  <pre className="artifact">{typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre>
                </td>
                <td>
                  <button type="button" className="button link mono" onClick={() => focusState(state)}>
                    {state}
                  </button>
                </td>
                <td className="number">
                  <button type="button" className="button link mono" onClick={() => shownRun.seek(n)}>
                    {n}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
