/**
 * The benchmark page: `?n=5000&view=ours|plain` for measurements, `?show=12|500|empty` for
 * inspection. `window.bench` reports when it is interactive; bench/canvas.py measures the rest.
 */

import "../src/theme/tokens.css";
import "../src/theme/base.css";
import "../src/theme/components.css";
import "./bench.css";

import { createRoot } from "react-dom/client";
import { Canvas } from "../src/canvas";
import { listenForKeys, session } from "../src/session";
import { graph, madeUpGraph, showcase } from "./graph";
import { Plain } from "./plain";

interface Bench {
  /** Milliseconds from the available graph to the first frame that shows it. */
  ready: number | null;
  goTo(view: { x: number; y: number; zoom: number }): void;
  session: typeof session;
}

declare global {
  interface Window {
    bench: Bench;
  }
}

const query = new URLSearchParams(location.search);
const count = Number(query.get("n") ?? 0);
const show = query.get("show");
const made =
  show === "empty"
    ? graph([], [])
    : show === "12"
      ? showcase()
      : madeUpGraph(count || Number(show) || 100, query.get("placed") === "1");
if (query.get("theme")) document.documentElement.dataset.theme = query.get("theme") ?? "";

window.bench = { ready: null, goTo: () => undefined, session };
const root = createRoot(document.getElementById("bench") as HTMLElement);
const started = performance.now();
if (query.get("view") === "plain") root.render(<Plain graph={made} />);
else {
  listenForKeys();
  session.showGraph(made, false);
  root.render(<Canvas onStage={(stage) => (window.bench.goTo = (view) => stage.goTo(view))} />);
}

/** Interactive means that the first state can be located and that a frame has been drawn since. */
function watch(): void {
  const first = made.states[0]?.id;
  const there =
    first === undefined ||
    (query.get("view") === "plain"
      ? document.querySelector(".react-flow__node")?.getBoundingClientRect().width
      : window.signalbox?.locate(first));
  if (!there) requestAnimationFrame(watch);
  else
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        window.bench.ready = performance.now() - started;
      }),
    );
}
watch();
