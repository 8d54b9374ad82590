import type { RoleBinding } from "./roleBinding";
import { Check } from "../../ui/Check";
import { FieldLabel } from "../../ui/FieldLabel";

interface Props {
  state: string;
  bound: RoleBinding;
  /** Labels of the transitions that a verdict can take here. */
  gates: readonly string[];
  change: (bound: RoleBinding) => void;
}

/**
 * Settings of a gate. Offered where a verdict can choose between two of the state's transitions.
 */
export function GateFields({ state, bound, gates, change }: Props) {
  const { gate = null } = bound;
  const labels = [...new Set([...gates, ...(gate ? [gate.pass, gate.fail] : [])])];
  if (labels.length < 2) return null;
  const [first = "", second = ""] = labels;
  const toggle = (on: boolean) =>
    change({ ...bound, gate: on ? { pass: first, fail: second } : null });
  return (
    <div className="field gate">
      <Check on={gate !== null} set={toggle}>
        Works as a gate
      </Check>
      {gate && (
        <div className="columns">
          <VerdictField
            label="Pass takes"
            state={state}
            labels={labels}
            value={gate.pass}
            other={gate.fail}
            choose={(pass) => change({ ...bound, gate: { ...gate, pass } })}
          />
          <VerdictField
            label="Fail takes"
            state={state}
            labels={labels}
            value={gate.fail}
            other={gate.pass}
            choose={(fail) => change({ ...bound, gate: { ...gate, fail } })}
          />
        </div>
      )}
      <div className="help">
        Gives a verdict. An unreadable verdict is requested once more, then the gate fails.
      </div>
    </div>
  );
}

interface VerdictFieldProps {
  label: string;
  state: string;
  labels: readonly string[];
  value: string;
  other: string;
  choose: (label: string) => void;
}

function VerdictField({ label, state, labels, value, other, choose }: VerdictFieldProps) {
  return (
    <FieldLabel label={label}>
      <select
        className="mono"
        translate="no"
        aria-label={`${label} (arrow of ${state})`}
        value={value}
        onChange={(event) => choose(event.target.value)}
      >
        {labels.map((one) => (
          <option key={one} value={one} disabled={one === other}>
            {one}
          </option>
        ))}
      </select>
    </FieldLabel>
  );
}
