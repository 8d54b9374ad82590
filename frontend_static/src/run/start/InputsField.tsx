import { Plus, X } from "lucide-react";
import type { RunInput } from "../../session";
import { Mono } from "../../ui/Mono";
import { Button } from "../../ui/Button";

type Pairs = [string, string][];

interface Props {
  /** The inputs that the pack describes and this run uses. */
  declared: readonly RunInput[];
  inputs: Pairs;
  change: (inputs: Pairs) => void;
  /** Names of the required inputs without a value; empty before the first try to start. */
  missing: readonly string[];
  /** A rehearsal generates the values that are left out. */
  simulates: boolean;
}

/** The inputs of a run: required ones first, the others on request, and any that the pack omits. */
export function InputsField({ declared, inputs, change, missing, simulates }: Props) {
  const values = new Map(inputs);
  const names = new Set(declared.map((one) => one.name));
  const asked = declared.filter((one) => one.required || one.by_role);
  const optional = declared.filter((one) => !asked.includes(one));
  const others = inputs.filter(([name]) => !names.has(name));
  const known = inputs.filter(([name]) => names.has(name));
  const set = (name: string, value: string) =>
    change([...inputs.filter(([other]) => other !== name), [name, value]]);
  const field = (one: RunInput) => (
    <InputField
      key={one.name}
      input={one}
      value={values.get(one.name) ?? ""}
      change={(value) => set(one.name, value)}
      missing={missing.includes(one.name)}
      simulates={simulates}
    />
  );
  const filled = others.length > 0 || optional.some((one) => (values.get(one.name) ?? "") !== "");
  const alone = asked.length === 0 && optional.length > 0;
  return (
    <div className="field" data-inputs>
      <div className="field-label">Inputs</div>
      {asked.map(field)}
      {asked.length === 0 && <div className="help">This pack requires no input.</div>}
      <details className="more-inputs" open={filled || alone || undefined}>
        <summary>
          {optional.length === 0
            ? "Other inputs"
            : `${optional.length} optional ${optional.length === 1 ? "input" : "inputs"}`}
        </summary>
        {optional.map(field)}
        <OtherInputs inputs={others} change={(rows) => change([...known, ...rows])} />
      </details>
    </div>
  );
}

interface FieldProps {
  input: RunInput;
  value: string;
  change: (value: string) => void;
  missing: boolean;
  simulates: boolean;
}

function InputField({ input, value, change, missing, simulates }: FieldProps) {
  const id = inputId(input.name);
  const common = {
    id,
    value,
    "aria-label": `Value of input ${input.name}`,
    "aria-required": input.required && !simulates,
    "aria-invalid": missing || undefined,
    "aria-describedby": `${id}-help`,
    onChange: (event: { target: { value: string } }) => change(event.target.value),
  };
  const choices = input.type === "boolean" ? ["true", "false"] : input.values;
  return (
    <div className="run-input" data-input={input.name} data-required={input.required}>
      <label htmlFor={id}>
        <Mono>{input.name}</Mono>{" "}
        <span className="muted small">
          {input.type}
          {input.required && " · required"}
        </span>
      </label>
      {choices.length > 0 ? (
        <select {...common}>
          <option value="">{emptyText(input, simulates) || "Choose…"}</option>
          {choices.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : input.type === "number" || input.type === "integer" ? (
        <input
          {...common}
          type="text"
          inputMode="decimal"
          placeholder={emptyText(input, simulates)}
        />
      ) : (
        <textarea
          {...common}
          rows={2}
          className={input.type === "string" ? undefined : "mono"}
          placeholder={emptyText(input, simulates)}
        />
      )}
      <div className="help" id={`${id}-help`}>
        {missing && <span className="level-error">A run without this input fails at once. </span>}
        {input.help}
        {input.type === "object" || input.type === "array" ? " Enter it as JSON." : ""}
        {input.examples.map((one) => (
          <Button
            key={one}
            kind="link"
            title="Use this example of the pack"
            onClick={() => change(one)}
          >
            Example: {one.length > 60 ? `${one.slice(0, 59)}…` : one}
          </Button>
        ))}
      </div>
    </div>
  );
}

/** The value that a run uses if the field stays empty. */
function emptyText(input: RunInput, simulates: boolean): string {
  if (input.default) return `default: ${input.default}`;
  return simulates && input.simulated ? `simulated: ${input.simulated}` : "";
}

/** The id of the field of an input, to move the focus there. */
export function inputId(name: string): string {
  return `run-input-${name.replace(/[^\w-]/g, "_")}`;
}

/** Inputs that the pack does not describe, each with its name. */
function OtherInputs({ inputs, change }: { inputs: Pairs; change: (inputs: Pairs) => void }) {
  return (
    <>
      {inputs.map(([name, value], index) => (
        <div className="row" key={index}>
          <input
            className="mono"
            aria-label={`Name of input ${index + 1}`}
            placeholder="name"
            autoFocus={name === "" && value === ""}
            value={name}
            onChange={(event) => change(inputs.with(index, [event.target.value, value]))}
          />
          <input
            aria-label={`Value of input ${name || index + 1}`}
            placeholder="value"
            value={value}
            onChange={(event) => change(inputs.with(index, [name, event.target.value]))}
          />
          <Button
            kind="quiet small icon-only"
            aria-label={`Remove input ${name || index + 1}`}
            onClick={() => change(inputs.filter((_one, at) => at !== index))}
          >
            <X className="icon" aria-hidden />
          </Button>
        </div>
      ))}
      <div>
        <Button kind="quiet small add" onClick={() => change([...inputs, ["", ""]])}>
          <Plus className="icon" aria-hidden /> Input
        </Button>
      </div>
    </>
  );
}
