import { Code } from "../../ui/code/Code";
import { ModelFields } from "./ModelFields";
import { type DriverSettings } from "./driverSettings";
import { FieldLabel } from "../../ui/FieldLabel";

const DRIVERS = [
  {
    name: "rehearsal",
    title: "Rehearsal",
    help: "Simulated answers from a seed. No model, no cost.",
  },
  { name: "script", title: "Script", help: "Answers from a script, in order." },
  { name: "manual", title: "Manual", help: "You answer as the model, here in the page." },
  {
    name: "model",
    title: "Model",
    help: "A real model answers, over a connection. The provider charges for each call.",
  },
] as const;

interface Props {
  value: DriverSettings;
  change: (change: Partial<DriverSettings>) => void;
  legend: string;
  /** The initial text of the script editor. */
  script: string;
  scriptHelp: string;
  /** Placeholder of empty number fields. */
  blank?: string;
}

/** The choice of a driver, and the settings of the chosen one. */
export function DriverFields({ value, change, legend, script, scriptHelp, blank }: Props) {
  const { driver } = value;
  return (
    <>
      <fieldset className="drivers">
        <legend className="field-label">{legend}</legend>
        {DRIVERS.map((one) => (
          <label key={one.name} className="driver">
            <input
              type="radio"
              name="driver"
              value={one.name}
              checked={driver === one.name}
              onChange={() => change({ driver: one.name })}
            />
            <span>
              <b>{one.title}</b>
              <span className="help">{one.help}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {driver === "model" ? (
        <ModelFields
          connection={value.connection}
          model={value.model}
          change={change}
          blank={blank}
        />
      ) : (
        <div className="columns">
          <NumberField
            label="Seed"
            blank={blank}
            value={value.seed}
            onChange={(seed) => change({ seed })}
          />
          <NumberField
            label="Delay per answer (ms)"
            blank={blank}
            value={value.delay}
            onChange={(delay) => change({ delay })}
          />
        </div>
      )}
      {driver === "script" && (
        <div className="field">
          <div className="field-label">Script</div>
          <Code
            label="Script"
            value={script}
            language="json"
            onChange={(text) => change({ script: text })}
          />
          <div className="help">{scriptHelp}</div>
        </div>
      )}
    </>
  );
}

interface NumberProps {
  label: string;
  value: string;
  step?: string;
  blank?: string;
  onChange: (text: string) => void;
}

export function NumberField({ label, value, step, blank, onChange }: NumberProps) {
  return (
    <FieldLabel label={label}>
      <input
        type="number"
        min={0}
        step={step}
        value={value}
        placeholder={blank}
        onChange={(event) => onChange(event.target.value)}
      />
    </FieldLabel>
  );
}
