/** The demo page: a form that opens a pack, and the editor around it. */

import { useEffect, useState, type ReactNode } from "react";
import { Editor } from "../app/Editor";
import { startLayout } from "../canvas";
import { session } from "../session";
import { droppedFiles, type DroppedFile } from "../site/droppedFiles";
import { Button } from "../ui/Button";
import { fetchFiles } from "./fetchFiles";
import { ask } from "./python";
import type { Call } from "./worker";

interface Pack {
  id: number;
  name: string;
  format: string;
  main: string;
}

interface SampleGroup {
  dialect: string;
  format: string;
  names: string[];
}

export function Demo() {
  const [groups, setGroups] = useState<SampleGroup[]>([]);
  const [packs, setPacks] = useState<Pack[]>([]);
  const [shown, setShown] = useState<number | null>(null);
  const [busy, setBusy] = useState("Loading Python…");
  const [problem, setProblem] = useState("");

  const work = async (title: string, open: () => Promise<Call | null>): Promise<void> => {
    setBusy(title);
    setProblem("");
    try {
      const call = await open();
      if (call) show(await opened(call));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    setBusy("");
  };
  const show = (found: Pack[]) => {
    setPacks(found);
    if (found.length === 1) showPack(found[0]!.id);
  };
  const showPack = (id: number) => {
    setShown(id);
    void session.load(String(id), { page: "demo" });
  };
  const openFiles = (files: DroppedFile[]) =>
    work("Reading the files…", async () => ({
      name: "open_files",
      files: Object.fromEntries(
        await Promise.all(
          files.map(async ({ path, file }) => [path, new Uint8Array(await file.arrayBuffer())]),
        ),
      ) as Record<string, Uint8Array>,
    }));

  useEffect(() => {
    const list = async () => setGroups((await ask({ name: "samples" })).body as SampleGroup[]);
    void startLayout();
    const [dialect = "", sample = ""] =
      new URLSearchParams(location.search).get("sample")?.split("/") ?? [];
    // All samples are read for their list, which a pack to draw does not wait for.
    if (sample)
      void work("Loading Python…", () =>
        Promise.resolve({ name: "open_sample", dialect, sample }),
      ).then(list);
    else void work("Loading Python…", () => list().then(() => null));
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      if (event.dataTransfer) void droppedFiles(event.dataTransfer).then(openFiles);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("drop", drop);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  if (shown !== null)
    return (
      <div className="demo-editor">
        <p className="demo-bar">
          <span>
            This pack is in your browser only. To edit and run packs,{" "}
            <a href="../start/">install Signalbox with one command</a>.
          </span>
          <span className="spacer" />
          {packs.length > 1 && <PackChoice packs={packs} shown={shown} choose={showPack} />}
          <Button kind="small" onClick={() => setShown(null)}>
            Open another pack
          </Button>
        </p>
        <Editor />
      </div>
    );
  return (
    <main className="demo-start page">
      <p>
        <a href="../">Signalbox</a>
      </p>
      <h1>Try Signalbox without installing it</h1>
      <p>
        Open a pack to see its graph, its findings and its worst case, and to rehearse it. Python
        runs in this page, and your files stay in your browser.
      </p>
      {problem && (
        <p className="notice error" role="alert">
          {problem}
        </p>
      )}
      {packs.length > 1 && (
        <Part title={`${packs.length} packs`}>
          <div className="row wrap">
            {packs.map((one) => (
              <Button key={one.id} onClick={() => showPack(one.id)}>
                {one.name} <span className="muted">{one.format}</span>
              </Button>
            ))}
          </div>
        </Part>
      )}
      <Texts
        busy={busy !== ""}
        open={(text) =>
          work("Reading the text…", () => Promise.resolve({ name: "open_text", text }))
        }
        fetch={(address) =>
          work("Fetching the files…", async () => ({
            name: "open_files",
            files: await fetchFiles(address),
          }))
        }
        files={openFiles}
      />
      <Part title="Samples">
        {groups.map(({ dialect, format, names }) => (
          <p key={dialect} className="row wrap">
            <span className="demo-format">{format}</span>
            {names.map((sample) => (
              <Button
                key={sample}
                kind="small"
                disabled={busy !== ""}
                onClick={() =>
                  void work("Opening the sample…", () =>
                    Promise.resolve({ name: "open_sample", dialect, sample }),
                  )
                }
              >
                {sample}
              </Button>
            ))}
          </p>
        ))}
      </Part>
      <p className="muted" role="status">
        {busy}
      </p>
      <Part title="Limits of this page">
        <ul>
          <li>
            It cannot edit, save, run or share packs. <a href="../start/">Install Signalbox</a> for
            that.
          </li>
          <li>
            Libraries with native code are replaced: RE2 by RE2JS, QuickJS and tree-sitter by their
            WebAssembly, and jsonschema-rs by a slower library in Python, whose messages differ.
          </li>
          <li>
            Tools count as present, and models have no prices. Work has no limit of memory, and is
            stopped after two minutes.
          </li>
        </ul>
      </Part>
    </main>
  );
}

async function opened(call: Call): Promise<Pack[]> {
  const { status, body } = await ask(call);
  if (status === 200) return body as Pack[];
  const { message, hint } = body as { message: string; hint: string };
  throw new Error(`${message} ${hint}`.trim());
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="demo-part">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface ChoiceProps {
  packs: readonly Pack[];
  shown: number;
  choose: (id: number) => void;
}

function PackChoice({ packs, shown, choose }: ChoiceProps) {
  return (
    <select
      className="input fit"
      aria-label="Pack"
      value={shown}
      onChange={(event) => choose(Number(event.target.value))}
    >
      {packs.map((one) => (
        <option key={one.id} value={one.id}>
          {one.main}
        </option>
      ))}
    </select>
  );
}

interface TextsProps {
  busy: boolean;
  open: (text: string) => Promise<void>;
  fetch: (address: string) => Promise<void>;
  files: (files: DroppedFile[]) => Promise<void>;
}

function Texts({ busy, open, fetch, files }: TextsProps) {
  const [text, setText] = useState("");
  const [address, setAddress] = useState("");
  return (
    <>
      <Part title="Your files">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void open(text);
          }}
        >
          <label className="field">
            Text of a pack
            <textarea
              className="input demo-text"
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
          <p className="row wrap">
            <Button type="submit" kind="primary" disabled={busy || !text.trim()}>
              Open the text
            </Button>
            <label>
              or drop files, a folder or a zip on this page, or choose them:{" "}
              <input
                type="file"
                multiple
                disabled={busy}
                onChange={({ target }) =>
                  void files([...(target.files ?? [])].map((file) => ({ path: file.name, file })))
                }
              />
            </label>
          </p>
        </form>
      </Part>
      <Part title="A public address">
        <form
          className="row wrap"
          onSubmit={(event) => {
            event.preventDefault();
            void fetch(address.trim());
          }}
        >
          <input
            className="input grow"
            type="url"
            aria-label="Address of a file, or of a repository or folder on GitHub"
            placeholder="https://github.com/OWNER/REPOSITORY/tree/main/FOLDER"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
          <Button type="submit" kind="primary" disabled={busy || !address.trim()}>
            Open the address
          </Button>
        </form>
        <p className="help">Your browser fetches the files, and nothing else.</p>
      </Part>
    </>
  );
}
