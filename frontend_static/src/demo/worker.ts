/** Python in a worker: each message is a call of `workflows.demo.page.Page`. */

import { loadNatives } from "./natives";

export type Call =
  | { name: "samples" }
  | { name: "open_sample"; dialect: string; sample: string }
  | { name: "open_text"; text: string }
  | { name: "open_files"; files: Record<string, Uint8Array> }
  | { name: "answer"; method: string; address: string; text: string };

/** Where the files of Pyodide are, and which call is made. */
export interface Message {
  id: number;
  home: string;
  call: Call;
}

interface Page {
  samples(): string;
  open_sample(dialect: string, name: string): string;
  open_text(text: string): string;
  open_files(files: unknown): string;
  answer(method: string, address: string, text: string): string;
}

interface Pyodide {
  runPython(code: string): unknown;
  FS: { writeFile(path: string, data: Uint8Array): void };
  registerJsModule(name: string, module: object): void;
  toPy(value: unknown): unknown;
}

let starting: Promise<{ pyodide: Pyodide; page: Page }> | null = null;

async function start(home: string) {
  const url = (name: string) => new URL(name, home).href;
  const stdlib = unpacked(url("stdlib.zip.gz"));
  const core = unpacked(url("core.zip.gz"));
  const natives = loadNatives();
  const module = (await import(/* @vite-ignore */ url("pyodide.mjs"))) as {
    loadPyodide(options: object): Promise<Pyodide>;
  };
  const stdLibURL = URL.createObjectURL(new Blob([await stdlib]));
  const pyodide = await module.loadPyodide({ indexURL: home, stdLibURL });
  pyodide.registerJsModule("signalbox_page", await natives);
  pyodide.FS.writeFile("/core.zip", new Uint8Array(await core));
  const code = `
import sys
sys.path.insert(0, "/core.zip")
from workflows.demo.page import Page
Page()`;
  return { pyodide, page: pyodide.runPython(code) as Page };
}

async function unpacked(address: string): Promise<ArrayBuffer> {
  const response = await fetch(address);
  if (!response.ok || !response.body) throw new Error(`${address}: HTTP ${response.status}`);
  // A server may name the compression, which the browser then removes itself.
  const data = await response.arrayBuffer();
  const bytes = new Uint8Array(data);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return data;
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function answer(pyodide: Pyodide, page: Page, call: Call): string {
  switch (call.name) {
    case "samples":
      return page.samples();
    case "open_sample":
      return page.open_sample(call.dialect, call.sample);
    case "open_text":
      return page.open_text(call.text);
    case "open_files": {
      const bytes = pyodide.runPython(
        "lambda files: {path: bytes(data) for path, data in files.items()}",
      ) as (files: unknown) => unknown;
      return page.open_files(bytes(pyodide.toPy(call.files)));
    }
    case "answer":
      return page.answer(call.method, call.address, call.text);
  }
}

addEventListener("message", ({ data }: MessageEvent<Message>) => {
  starting ??= start(data.home);
  starting.then(
    ({ pyodide, page }) => {
      try {
        postMessage({ id: data.id, text: answer(pyodide, page, data.call) });
      } catch (error) {
        postMessage({ id: data.id, problem: String(error) });
      }
    },
    (error: unknown) => postMessage({ id: data.id, problem: String(error) }),
  );
});
