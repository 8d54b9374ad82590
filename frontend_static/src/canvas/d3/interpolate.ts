/**
 * The names of d3-interpolate that React Flow passes on and d3-zoom calls in its animations only.
 * A build resolves `d3-interpolate` to this module, because the canvas glides with `view/glide.ts`.
 */

const unused = (): never => {
  throw new Error("The canvas has no animations of d3.");
};

export { unused as interpolate, unused as interpolateZoom };
