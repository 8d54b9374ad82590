import { packs, useFetched, type RunOption } from "../../session";
import { Check } from "../../ui/Check";

/** The options that a pack offers at the start of a run. */
export function useRunOptions(pack: string): readonly RunOption[] {
  return useFetched([pack], () => packs.options(pack)) ?? NO_OPTIONS;
}
const NO_OPTIONS: readonly RunOption[] = [];

/** The first required option without a value. */
export function missingOption(
  options: readonly RunOption[],
  values: Readonly<Record<string, string>>,
): RunOption | undefined {
  return options.find((one) => one.required && !values[one.name]);
}

export function OptionsField({
  options,
  values,
  change,
}: {
  options: readonly RunOption[];
  values: Readonly<Record<string, string>>;
  change: (values: Record<string, string>) => void;
}) {
  return options.map((one) => (
    <OptionField
      key={one.name}
      option={one}
      value={values[one.name] ?? ""}
      change={(value) => change({ ...values, [one.name]: value })}
    />
  ));
}

function OptionField({
  option: { title, help, values, required },
  value,
  change,
}: {
  option: RunOption;
  value: string;
  change: (value: string) => void;
}) {
  const [only] = values;
  if (values.length === 1 && only === "yes")
    return (
      <Check kind="run-line" on={value === only} set={(on) => change(on ? only : "")}>
        <span>
          {title} <span className="help">{help}</span>
        </span>
      </Check>
    );
  return (
    <label className="field">
      <span className="field-label">
        {title} {required && <span className="muted">required</span>}
      </span>
      {values.length > 0 ? (
        <select value={value} onChange={(event) => change(event.target.value)}>
          <option value="">{required ? "Choose…" : "None"}</option>
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        <input value={value} onChange={(event) => change(event.target.value)} />
      )}
      <span className="help">{help}</span>
    </label>
  );
}
