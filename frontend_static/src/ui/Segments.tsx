import { Button } from "./Button";

interface Props<Id extends string> {
  label: string;
  /** `label`: the name of a choice that its title shortens. */
  choices: readonly { id: Id; title: string; label?: string }[];
  value: Id;
  choose: (id: Id) => void;
}

/** A row of buttons of which one is pressed. */
export const Segments = <Id extends string>({ label, choices, value, choose }: Props<Id>) => (
  <span className="segments" role="group" aria-label={label}>
    {choices.map((one) => (
      <Button
        key={one.id}
        kind="small"
        aria-label={one.label}
        title={one.label}
        aria-pressed={one.id === value}
        onClick={() => choose(one.id)}
      >
        {one.title}
      </Button>
    ))}
  </span>
);
