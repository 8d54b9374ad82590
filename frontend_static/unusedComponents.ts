import type { Plugin } from "vite";

const REACT_FLOW = /@xyflow[\\/]react[\\/]dist[\\/]esm[\\/]index\.js$/;
const DISPLAY_NAME = /^\w+\.displayName = .+;$/gm;
const WRAPPED = /= (memo|forwardRef)\(/g;

/**
 * Let a build leave out the components of React Flow that the canvas does not use, such as its own
 * minimap. They are one module, and names for developer tools count as uses.
 */
export function dropUnusedComponents(): Plugin {
  return {
    name: "signalbox-unused-components",
    apply: "build",
    transform(code, id) {
      if (!REACT_FLOW.test(id.split("?")[0] ?? "")) return null;
      return code.replace(DISPLAY_NAME, "").replace(WRAPPED, "= /* @__PURE__ */ $1(");
    },
  };
}
