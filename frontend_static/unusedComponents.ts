import type { Plugin } from "vite";

const REACT_FLOW = /@xyflow[\\/]react[\\/]dist[\\/]esm[\\/]index\.js$/;
const DISPLAY_NAME = /^\w+\.displayName = .+;$/gm;
const WRAPPED = /= (memo|forwardRef)\(/g;
/** Components and hooks that render and do nothing on our canvas: it draws arrows itself, and its
 * gestures move, select and connect. */
const IDLE = [
  "A11yDescriptions",
  "ConnectionLineWrapper",
  "EdgeRendererComponent",
  "NodesSelection",
  "SelectionListener",
  "UserSelection",
  "useDrag",
  "useGlobalKeyHandler",
  "useMoveSelectedNodes",
];
const NODE_TYPES = /^const builtinNodeTypes = \{[^}]*\};$/m;

/**
 * Let a build leave out the parts of React Flow that the canvas does not use, such as its edges and
 * its minimap. They are one module, and names for developer tools count as uses.
 */
export function dropUnusedComponents(): Plugin {
  return {
    name: "signalbox-unused-components",
    apply: "build",
    transform(code, id) {
      if (!REACT_FLOW.test(id.split("?")[0] ?? "")) return null;
      let rest = replaced(code, NODE_TYPES, "const builtinNodeTypes = {};");
      for (const name of IDLE)
        rest = replaced(
          rest,
          new RegExp(`^function ${name}\\(`, "m"),
          `function ${name}() { return null; }\nfunction dropped${name}(`,
        );
      return rest.replace(DISPLAY_NAME, "").replace(WRAPPED, "= /* @__PURE__ */ $1(");
    },
  };
}

/** Throws if a new version of React Flow has no such part. */
function replaced(code: string, part: RegExp, by: string): string {
  if (!part.test(code)) throw new Error(`React Flow has no part ${part}; see unusedComponents.ts.`);
  return code.replace(part, by);
}
