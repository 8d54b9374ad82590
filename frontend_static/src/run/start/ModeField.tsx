import { Button } from "../../ui/Button";

export type Mode = "" | "PLANNING" | "IMPLEMENTATION";

interface ModeText {
  title: string;
  help: string;
}

const NO_MODE: ModeText = {
  title: "No mode",
  help: "No mode, unless the pack has one of its own.",
};
const MODES: readonly (ModeText & { id: Mode })[] = [
  {
    id: "PLANNING",
    title: "Planning",
    help: "Commands are refused, files are written below docs/ only, HTTP tools only read. Roles are informed.",
  },
  {
    id: "IMPLEMENTATION",
    title: "Implementation",
    help: "Roles are informed that they may change code. Other permissions do not change.",
  },
];

/** The mode in which a run starts. `none` describes the choice of no mode. */
export function ModeField({
  mode,
  choose,
  none = NO_MODE,
}: {
  mode: Mode;
  choose: (mode: Mode) => void;
  none?: ModeText;
}) {
  const modes = [{ id: "" as Mode, ...none }, ...MODES];
  return (
    <div className="field">
      <div className="field-label">Mode</div>
      <div>
        <span className="segments" role="group" aria-label="Mode of the run">
          {modes.map((one) => (
            <Button
              key={one.id}
              kind="small"
              aria-pressed={one.id === mode}
              onClick={() => choose(one.id)}
            >
              {one.title}
            </Button>
          ))}
        </span>
      </div>
      <div className="help">{modes.find((one) => one.id === mode)?.help}</div>
    </div>
  );
}
