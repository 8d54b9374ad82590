/** Printing: the page shows the drawing of the whole graph while the browser prints. */

import "./print.css";

/** Returns a function that removes the listeners. `draw` is called when the browser prints. */
export function listenForPrinting(draw: () => string | null): () => void {
  let place: HTMLElement | null = null;
  const remove = () => {
    place?.remove();
    place = null;
  };
  const show = () => {
    remove();
    const svg = draw();
    if (svg === null) return;
    place = document.createElement("div");
    place.className = "printed-drawing";
    const drawing = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    const size = (name: string) => Number(drawing.getAttribute(name));
    place.classList.toggle("wide", size("width") > size("height"));
    place.append(document.importNode(drawing, true));
    document.body.append(place);
  };
  addEventListener("beforeprint", show);
  addEventListener("afterprint", remove);
  return () => {
    remove();
    removeEventListener("beforeprint", show);
    removeEventListener("afterprint", remove);
  };
}
