/** The line under a name that cannot be used: the reason, and the nearest name that can. */

export interface NameProblem {
  text: string;
  /** The name that Enter takes instead, or "". */
  nearest: string;
}

interface Props extends NameProblem {
  onTake: (name: string) => void;
}

export function NameHint({ text, nearest, onTake }: Props) {
  return (
    <>
      <p className="problem" role="alert">
        {text}
      </p>
      {nearest && (
        <button
          type="button"
          className="mono nearest"
          translate="no"
          onClick={() => onTake(nearest)}
        >
          {nearest}
          <small>Enter</small>
        </button>
      )}
    </>
  );
}
