import { Plus, X } from "lucide-react";
import { Mono } from "../../ui/Mono";
import { Button } from "../../ui/Button";

export interface Secret {
  name: string;
  value: string;
}

interface Props {
  /** Names of the stored secrets. Their values are never shown. */
  storedNames: string[];
  /** New secrets; null keeps the stored ones. */
  value: Secret[] | null;
  change: (secrets: Secret[] | null) => void;
}

/** Headers or environment variables for a call. Write-only. */
export function SecretFields({ storedNames, value, change }: Props) {
  const set = (index: number, part: Partial<Secret>) =>
    change((value ?? []).map((one, at) => (at === index ? { ...one, ...part } : one)));
  const add = () => change([...(value ?? []), { name: "", value: "" }]);
  return (
    <fieldset className="field secrets">
      <legend className="field-label">Secrets</legend>
      {value === null && storedNames.length > 0 && (
        <div className="row">
          {storedNames.map((name) => (
            <Mono key={name} kind="badge">
              {name} •••
            </Mono>
          ))}
          <Button
            kind="quiet small"
            onClick={() => change(storedNames.map((name) => ({ name, value: "" })))}
          >
            Replace
          </Button>
          <Button kind="quiet small" onClick={() => change([])}>
            Remove
          </Button>
        </div>
      )}
      {value?.map((one, index) => (
        <div className="row" key={index}>
          <input
            className="mono"
            aria-label={`Name of secret ${index + 1}`}
            placeholder="name"
            value={one.name}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => set(index, { name: event.target.value })}
          />
          <input
            type="password"
            aria-label={`Value of secret ${one.name || index + 1}`}
            placeholder="value"
            value={one.value}
            autoComplete="new-password"
            onChange={(event) => set(index, { value: event.target.value })}
          />
          <Button
            kind="quiet small icon-only"
            aria-label={`Remove secret ${one.name || index + 1}`}
            onClick={() => change(value.filter((_one, at) => at !== index))}
          >
            <X className="icon" aria-hidden />
          </Button>
        </div>
      ))}
      {value !== null && storedNames.length > 0 && (
        <div className="help">
          These replace all stored secrets.{" "}
          <Button kind="link" onClick={() => change(null)}>
            Leave them as they are
          </Button>
        </div>
      )}
      {(value !== null || storedNames.length === 0) && (
        <div>
          <Button kind="quiet small add" onClick={add}>
            <Plus className="icon" aria-hidden /> Secret
          </Button>
        </div>
      )}
      <div className="help">
        Headers of a request, or environment variables of a started server. Stored encrypted, never
        shown again.
      </div>
    </fieldset>
  );
}
