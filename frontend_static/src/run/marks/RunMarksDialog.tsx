import { ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import { runs, type Run } from "../../session";
import { splitTags } from "./splitTags";
import "./marks.css";
import { useKept } from "../../ui/useKept";
import { SendDialog } from "../../ui/SendDialog";
import { FieldLabel } from "../../ui/FieldLabel";
import { Button } from "../../ui/Button";

interface Props {
  run: Run;
  close: () => void;
  saved: (run: Run) => void;
}

/** Tags, a note and a score of a run. Everyone who sees the run sees them. */
export function RunMarksDialog({ run, close, saved }: Props) {
  const [{ tags, note, comment }, setTyped, drop] = useKept(`run ${run.id} marks`, "Note", () => ({
    tags: run.tags.join(", "),
    note: run.note,
    comment: "",
  }));
  const type = (field: "tags" | "note" | "comment") => (event: { target: { value: string } }) =>
    setTyped((now) => ({ ...now, [field]: event.target.value }));
  const [score, setScore] = useState<number | null | undefined>(undefined);
  const save = async () => {
    const given =
      score === undefined ? {} : { score: score === null ? null : { value: score, comment } };
    saved(await runs.mark(run.id, { tags: splitTags(tags), note, ...given }));
    drop();
    close();
  };
  return (
    <SendDialog
      title="Tags, note and score"
      close={close}
      send={save}
      button="Save"
      busyButton="Saving…"
    >
      <FieldLabel
        label="Tags"
        help="Separated by commas. The list of runs can be filtered by a tag."
      >
        <input
          className="input"
          value={tags}
          placeholder="nightly, release 1.2"
          onChange={type("tags")}
        />
      </FieldLabel>
      <FieldLabel label="Note">
        <textarea
          className="input"
          rows={4}
          maxLength={4000}
          value={note}
          onChange={type("note")}
        />
      </FieldLabel>
      <fieldset className="field run-score">
        <legend className="field-label">Your score</legend>
        <div className="row">
          <ScoreButton label="Good" icon={ThumbsUp} value={1} now={score} choose={setScore} />
          <ScoreButton label="Bad" icon={ThumbsDown} value={-1} now={score} choose={setScore} />
          <input
            className="input"
            aria-label="Comment on the score"
            placeholder="Comment"
            maxLength={400}
            value={comment}
            disabled={!score}
            onChange={type("comment")}
          />
        </div>
        {run.scores.map((one) => (
          <p key={one.person} className="help" data-score-of={one.person}>
            {one.person}: {one.value > 0 ? "good" : one.value < 0 ? "bad" : "neutral"} ({one.value})
            {one.comment && ` · ${one.comment}`}
          </p>
        ))}
      </fieldset>
    </SendDialog>
  );
}

interface ScoreProps {
  label: string;
  icon: typeof ThumbsUp;
  value: number;
  now: number | null | undefined;
  choose: (value: number | null) => void;
}

/** Pressed again, it removes the score. */
function ScoreButton({ label, icon: Icon, value, now, choose }: ScoreProps) {
  return (
    <Button
      kind="small"
      aria-pressed={now === value}
      onClick={() => choose(now === value ? null : value)}
    >
      <Icon className="icon" aria-hidden /> {label}
    </Button>
  );
}
