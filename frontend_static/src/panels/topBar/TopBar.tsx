import {
  AlarmClock,
  ArrowLeft,
  CircleQuestionMark,
  Download,
  FileArchive,
  FileImage,
  FileType,
  FlaskConical,
  GitBranch,
  Moon,
  PackageOpen,
  Play,
  Printer,
  Redo2,
  Search,
  Share,
  Shuffle,
  Sun,
  Undo2,
  Users,
  Wrench,
} from "lucide-react";
import { useState } from "react";
import { runCommand, session, shallow, useSession } from "../../session";
import { useRunStore } from "../../run";
import { statusLabel } from "../../run/model/events";
import { currentTheme } from "../../theme/theme";
import { Menu } from "../../ui/Menu";
import { FindingCounts } from "./FindingCounts";
import { WorstCase } from "./WorstCase";
import { usePanelCommands } from "../panelCommands";
import { useUnreadablePack } from "../useUnreadablePack";
import { UpstreamBadge } from "../upstream/UpstreamBadge";
import { SaveIndicator } from "./SaveIndicator";
import { useDraft } from "../form/useDraft";
import { Button } from "../../ui/Button";
import { siteUrl } from "../../ui/siteUrl";

/** The top bar: the pack's name, save status, other users, and actions on the whole pack. */
export function TopBar() {
  usePanelCommands();
  useUnreadablePack();
  const page = useSession((state) => state.page);
  const stored = page === "pack";
  // A click before the pack is there would be lost.
  const disabled = useSession((state) => state.phase !== "ready");
  return (
    <header className="top-bar">
      {page !== "demo" && (
        <a className="button quiet icon-only" href="/" aria-label="All packs" title="All packs">
          <ArrowLeft className="icon" aria-hidden />
        </a>
      )}
      <PackName />
      <Dialect />
      {page === "run" && <RunTitle />}
      {stored && <SaveIndicator />}
      {stored && <UpstreamBadge />}
      {stored && <Checkout />}
      {stored && <UndoButtons />}
      <FindingCounts />
      {page !== "run" && <WorstCase />}
      <span className="spacer" />
      <People />
      <Button
        kind="quiet icon-only"
        aria-label="Command palette"
        title="Search and commands (Ctrl+K)"
        onClick={() => runCommand("commands")}
      >
        <Search className="icon" aria-hidden />
      </Button>
      <Button
        kind="quiet icon-only"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => runCommand("help")}
      >
        <CircleQuestionMark className="icon" aria-hidden />
      </Button>
      <ThemeButton />
      {stored && (
        <>
          <Button
            kind="quiet"
            title="Bindings of the pack's tools"
            disabled={disabled}
            onClick={() => runCommand("tools")}
          >
            <Wrench className="icon" aria-hidden /> <span className="label">Tools</span>
          </Button>
          <TriggersLink />
          <ShareLink />
          <ExportMenu />
        </>
      )}
      {page !== "run" && (
        <Button
          title="Rehearse (Shift+R)"
          disabled={disabled}
          onClick={() => runCommand("rehearse")}
        >
          <FlaskConical className="icon" aria-hidden /> <span className="label">Rehearse</span>
        </Button>
      )}
      {stored && (
        <Button
          kind="primary"
          title="Run… (Ctrl+Enter)"
          disabled={disabled}
          onClick={() => runCommand("run.start")}
        >
          <Play className="icon" aria-hidden /> Run
        </Button>
      )}
    </header>
  );
}

/** Sharing, on a server with several people. */
function ShareLink() {
  const pack = useSession((state) => state.pack);
  if (!document.querySelector("#signalbox[data-share]")) return null;
  return (
    <a
      className="button quiet"
      href={siteUrl(`/share/packs/${pack}/`)}
      title="Share the pack with others"
    >
      <Users className="icon" aria-hidden /> <span className="label">Share</span>
    </a>
  );
}

function PackName() {
  const name = useSession((state) => state.packDetail?.name ?? state.graph.name);
  const readOnly = useSession((state) => state.readOnly);
  const { inputProps, clear } = useDraft({
    place: "pack name",
    label: "Name of the pack",
    saved: name,
    apply: async (typed) => {
      if (typed.trim()) await session.setName(typed.trim());
      else clear(name);
      return null;
    },
  });
  if (readOnly) return <h1 className="pack-name">{name}</h1>;
  return (
    <>
      <h1 className="visually-hidden">{name}</h1>
      <input className="input bare fit pack-name" aria-label="Name of the pack" {...inputProps()} />
    </>
  );
}

function Dialect() {
  const card = useSession((state) => state.packDetail);
  const profile = useSession((state) => state.profile);
  const dialect = useSession((state) => state.graph.dialect);
  const page = useSession((state) => state.page);
  const profiles = card?.profiles ?? [];
  return (
    <span className="dialect">
      <span className="muted">{card?.dialect_label ?? dialect}</span>
      {profiles.length > 1 && page !== "run" ? (
        <select
          className="input bare fit profile"
          aria-label="Profile"
          title="Profile: how the format is read"
          value={profile}
          onChange={(event) => void session.setProfile(event.target.value)}
        >
          {profiles.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : (
        profile && <span className="badge">{profile}</span>
      )}
    </span>
  );
}

/** The branch of the opened folder, which a commit is made on. It is marked while git waits there
 * for the end of a merge. */
function Checkout() {
  const checkout = useSession((state) => state.folder?.checkout ?? "");
  if (!checkout) return null;
  return (
    <Button
      kind="quiet small"
      data-checkout={checkout}
      title="Checked out in the opened folder: commit…"
      onClick={() => runCommand("commit")}
    >
      <span className={`badge ${checkout.includes(", ") ? "warning" : ""}`}>
        <GitBranch className="icon" aria-hidden /> {checkout}
      </span>
    </Button>
  );
}

/** On a run's page: its revision and status. */
function RunTitle() {
  const run = useRunStore((state) => state.run);
  const status = useRunStore((state) => state.status);
  const revision = useSession((state) => state.revision);
  return (
    <span className="row">
      <span className="badge" title="The revision this run was started from">
        r{revision}
      </span>
      {run && <span className={`badge ${status}`}>{statusLabel(status)}</span>}
      {run && (
        <a className="small" href={siteUrl(`/packs/${run.pack}/`)}>
          open the pack
        </a>
      )}
    </span>
  );
}

function UndoButtons() {
  const { undo, redo } = useSession((state) => ({ undo: state.undo, redo: state.redo }), shallow);
  return (
    <span className="row tight">
      <Button
        kind="quiet icon-only"
        aria-label="Undo"
        title={undo.label ? `Undo ${undo.label} (Ctrl+Z)` : "Undo (Ctrl+Z)"}
        disabled={!undo.can}
        onClick={() => void session.undo()}
      >
        <Undo2 className="icon" aria-hidden />
      </Button>
      <Button
        kind="quiet icon-only"
        aria-label="Redo"
        title={redo.label ? `Redo ${redo.label} (Ctrl+Shift+Z)` : "Redo (Ctrl+Shift+Z)"}
        disabled={!redo.can}
        onClick={() => void session.redo()}
      >
        <Redo2 className="icon" aria-hidden />
      </Button>
    </span>
  );
}

/** Other users who have the pack open, and the elements they look at. */
function People() {
  const people = useSession((state) => state.people);
  const user = useSession((state) => state.user);
  const viewers = people.filter((person) => person.name !== user);
  if (viewers.length === 0) return null;
  return (
    <span className="people" role="list" aria-label="Also here">
      {viewers.slice(0, 4).map((person, index) => (
        <span
          role="listitem"
          key={index}
          className="person"
          title={`${person.name} · ${person.element || "pack"}`}
        >
          {person.name.slice(0, 2)}
        </span>
      ))}
    </span>
  );
}

function ThemeButton() {
  const [theme, setTheme] = useState(currentTheme);
  const Icon = theme === "dark" ? Sun : Moon;
  const toggle = () => {
    runCommand("theme");
    setTheme(currentTheme());
  };
  return (
    <Button
      kind="quiet icon-only"
      aria-label="Switch between light and dark"
      title="Switch between light and dark"
      onClick={toggle}
    >
      <Icon className="icon" aria-hidden />
    </Button>
  );
}

/** A link to the page of webhooks and schedules. */
function TriggersLink() {
  const pack = useSession((state) => state.pack);
  return (
    <a
      className="button quiet"
      href={siteUrl(`/packs/${pack}/triggers/`)}
      title="Webhooks and schedules that start this pack"
    >
      <AlarmClock className="icon" aria-hidden /> <span className="label">Triggers</span>
    </a>
  );
}

function ExportMenu() {
  return (
    <Menu
      label="Export"
      className="button"
      button={
        <>
          <Share className="icon" aria-hidden /> <span className="label">Export</span>
        </>
      }
      items={[
        {
          id: "file",
          title: "Download",
          keys: "Ctrl+S",
          icon: <Download className="icon" aria-hidden />,
          run: () => runCommand("export.download"),
        },
        {
          id: "zip",
          title: "Download as zip",
          icon: <FileArchive className="icon" aria-hidden />,
          run: () => runCommand("export.zip"),
        },
        {
          id: "forms",
          title: "In another form…",
          keys: "Shift+E",
          icon: <PackageOpen className="icon" aria-hidden />,
          run: () => runCommand("export"),
        },
        {
          id: "convert",
          title: "Convert to another dialect…",
          icon: <Shuffle className="icon" aria-hidden />,
          run: () => runCommand("convert"),
        },
        {
          id: "git",
          title: "To a git repository…",
          icon: <GitBranch className="icon" aria-hidden />,
          run: () => runCommand("export.git"),
        },
        {
          id: "svg",
          title: "Export drawing as SVG",
          icon: <FileType className="icon" aria-hidden />,
          run: () => runCommand("export.svg"),
        },
        {
          id: "png",
          title: "Export drawing as PNG",
          icon: <FileImage className="icon" aria-hidden />,
          run: () => runCommand("export.png"),
        },
        {
          id: "print",
          title: "Print drawing",
          keys: "Ctrl+P",
          icon: <Printer className="icon" aria-hidden />,
          run: () => runCommand("print"),
        },
      ]}
    />
  );
}
