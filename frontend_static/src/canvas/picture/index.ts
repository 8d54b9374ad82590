/** Commands: save the drawing as SVG or PNG, and print it. */

import { registerCommands, session, type Command } from "../../session";
import type { Stage } from "../view/stage";
import { pngFile, saveFile, svgFile } from "./download";
import { drawAtOnce, drawingParts, drawInSteps, type DrawingInput } from "./graphPicture";
import { fileName } from "./fileName";
import { iconsFor } from "./icons";
import { lightColours, paintWith } from "./paint";
import { listenForPrinting } from "./print";

/** With more states, a notice appears because the drawing takes a moment. */
const MANY_STATES = 1_000;

const packName = () => session.state.packDetail?.name ?? session.state.graph.name;

/** The content of the drawing, or null for an empty canvas. */
function drawingInput(stage: Stage): DrawingInput | null {
  const { scene } = stage;
  const { graph, overlay } = session.state;
  const path = overlay?.unreached === null ? overlay : null;
  if (!scene.cards.size) return null;
  const icons = iconsFor(graph.states.values());
  return {
    title: packName(),
    scene,
    groups: graph.groups,
    paint: paintWith(lightColours(), icons.idOf, path),
    symbols: icons.symbols,
  };
}

/** The document, or null after a notice. */
async function draw(stage: Stage): Promise<string | null> {
  const input = drawingInput(stage);
  if (!input) {
    session.notify("There is nothing to draw yet.", "warning", "Add a state first.");
    return null;
  }
  const many = stage.scene.cards.size;
  if (many > MANY_STATES) session.notify(`Drawing ${many} states…`);
  return drawInSteps(drawingParts(input));
}

const nameOf = (ending: string) => fileName(packName(), session.state.level, ending);

async function saveSvg(stage: Stage): Promise<void> {
  const svg = await draw(stage);
  if (svg !== null) saveFile(svgFile(svg), nameOf("svg"));
}

async function savePng(stage: Stage): Promise<void> {
  const svg = await draw(stage);
  if (svg === null) return;
  const { content, size } = await pngFile(svg);
  saveFile(content, nameOf("png"));
  if (!size.reduced) return;
  const percent = Math.max(1, Math.round(size.scale * 100));
  session.notify(
    `The drawing is large, so the PNG has ${percent} % of its size.`,
    "warning",
    "Export it as SVG to keep every detail.",
  );
}

const reporting = (work: Promise<void>) =>
  void work.catch((error: unknown) => session.notifyError(error));

/** Register the commands and listen for printing. Returns a function that ends both. */
export function installPicture(stage: Stage): () => void {
  let prepared: string | null = null;
  const print = async () => {
    prepared = await draw(stage);
    if (prepared !== null) window.print();
    prepared = null;
  };
  const commands: Command[] = [
    {
      name: "export.svg",
      title: "Export drawing as SVG",
      group: "Canvas",
      keys: [],
      run: () => reporting(saveSvg(stage)),
    },
    {
      name: "export.png",
      title: "Export drawing as PNG",
      group: "Canvas",
      keys: [],
      run: () => reporting(savePng(stage)),
    },
    {
      name: "print",
      title: "Print drawing",
      group: "Canvas",
      keys: ["Ctrl+P"],
      run: () => reporting(print()),
    },
  ];
  const stops = [
    registerCommands(commands),
    listenForPrinting(() => {
      if (prepared !== null) return prepared;
      const input = drawingInput(stage);
      return input && drawAtOnce(drawingParts(input));
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
