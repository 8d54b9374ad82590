import "./export.css";

import { CircleCheck, Download } from "lucide-react";
import { useState } from "react";
import { packs, session, errorMessage, useSession, type ExportForm } from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { panels } from "../panelState";
import { countLabel, LEVEL_ICON, LEVELS } from "../findingLevels";
import { useRequest } from "../../ui/useRequest";
import { Button } from "../../ui/Button";
import { Pre } from "../../ui/Pre";

const ORIGINAL_FORM: ExportForm = {
  name: "",
  title: "As it is",
  description: "The pack's own files, byte for byte.",
  refused: "",
  paths: [],
  findings: [],
};

/** The export forms of the pack, each with its findings. */
export function ExportDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const { value: forms, error } = useRequest([pack], async () => {
    await session.whenSaved();
    return packs.exports(pack);
  });
  const [chosenForm, setChosenForm] = useState("");
  const all = [ORIGINAL_FORM, ...(forms ?? [])];
  const form = all.find((one) => one.name === chosenForm) ?? ORIGINAL_FORM;
  const take = () => {
    location.assign(packs.exportAddress(pack, { as: form.name }));
    close();
  };
  return (
    <Dialog
      wide
      title="Export"
      onClose={close}
      onSubmit={take}
      footer={
        <>
          <Button kind="start" onClick={() => panels.open("git")}>
            To a git repository…
          </Button>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={form.refused !== ""}>
            <Download className="icon" aria-hidden /> Download
          </Button>
        </>
      }
    >
      {error !== null && <ErrorNotice {...errorMessage(error)} />}
      <div className="export-panes">
        <fieldset className="export-forms">
          <legend className="field-label">In which form</legend>
          {all.map((one) => (
            <label key={one.name} className="driver" data-export={one.name || "own"}>
              <input
                type="radio"
                name="form"
                checked={one.name === chosenForm}
                onChange={() => setChosenForm(one.name)}
              />
              <span>
                <b>{one.title}</b> <FindingsBadge form={one} />
                <span className="help">{one.description}</span>
              </span>
            </label>
          ))}
          {!forms && error === null && <p className="muted">Looking for other forms…</p>}
        </fieldset>
        <FormDetails form={form} />
      </div>
    </Dialog>
  );
}

/**
 * The number of findings of a form in the colour of the worst, or a note that the form is not
 * available.
 */
function FindingsBadge({ form }: { form: ExportForm }) {
  if (form.refused) return <span className="badge">not for this pack</span>;
  const level = LEVELS.find((one) => form.findings.some((finding) => finding.level === one));
  if (!level) return null;
  return (
    <span className={`badge ${level}`}>
      {countLabel(form.findings.filter((one) => one.level === level).length, level)}
    </span>
  );
}

function FormDetails({ form }: { form: ExportForm }) {
  const findings = LEVELS.flatMap((level) => form.findings.filter((one) => one.level === level));
  return (
    <section className="export-about" aria-label={`About ${form.title}`} aria-live="polite">
      <h3>{form.title}</h3>
      {form.refused ? (
        <p className="notice warning">{form.refused}</p>
      ) : findings.length === 0 ? (
        <p className="row">
          <CircleCheck className="icon level-ok" aria-hidden /> There is nothing to point out.
        </p>
      ) : (
        <ul className="plain export-findings" aria-label="Findings of the export">
          {findings.map((one) => {
            const Icon = LEVEL_ICON[one.level];
            return (
              <li key={`${one.code}${one.pointer}${one.message}`} data-finding={one.code}>
                <Icon className={`icon level-${one.level}`} aria-label={one.level} />
                <span>
                  {one.message} {one.hint && <span className="muted">{one.hint}</span>}
                </span>
              </li>
            );
          })}
        </ul>
      )}
      {form.paths.length > 0 && (
        <>
          <h4>{form.paths.length === 1 ? "One file" : `${form.paths.length} files`}</h4>
          <Pre className="small">{form.paths.join("\n")}</Pre>
        </>
      )}
    </section>
  );
}
