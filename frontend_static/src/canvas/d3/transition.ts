/**
 * The part of d3-transition that d3-zoom needs where nothing is animated by d3: the canvas glides
 * with `view/glide.ts`. A build resolves `d3-transition` to this module and saves the rest.
 */

import { selection } from "d3-selection";

/** d3-zoom calls it when the person pans or zooms, to end an animation of d3. */
export const interrupt = (): void => undefined;

/** d3-zoom calls the method before each change of the view. */
Object.assign(selection.prototype as object, {
  interrupt(this: unknown) {
    return this;
  },
});
