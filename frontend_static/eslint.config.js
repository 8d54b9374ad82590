import boundaries from "eslint-plugin-boundaries";
import reactHooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** The folders of src/, each with the folders it may import besides itself. */
const LAYERS = {
  theme: [],
  ui: [],
  api: ["ui"],
  session: ["api", "ui"],
  canvas: ["session", "ui"],
  run: ["session", "ui"],
  panels: ["run", "session", "theme", "ui"],
  roles: ["api", "ui"],
  site: ["api", "roles", "run", "theme", "ui"],
  demo: ["api", "app", "canvas", "session", "site", "theme", "ui"],
  app: ["canvas", "panels", "session", "site", "theme", "ui"],
};

/** `event.key` alone is wrong while an input method composes and on non-Latin layouts. */
const KEYS = new Set(["key", "code", "keyCode", "which", "isComposing"]);
const readKeysWithKeyOf = {
  create(context) {
    const { getTypeAtLocation } = context.sourceCode.parserServices;
    const isKeyEvent = (node) => {
      const type = getTypeAtLocation(node);
      return (type.isUnion() ? type.types : [type]).some(
        (one) => (one.aliasSymbol ?? one.symbol)?.name === "KeyboardEvent",
      );
    };
    const report = (node, name) => {
      if (KEYS.has(name))
        context.report({ node, message: `Ask ui/keys.ts about keys, not "${name}".` });
    };
    return {
      MemberExpression: (node) => {
        const { name } = node.property;
        if (KEYS.has(name) && isKeyEvent(node.object)) report(node, name);
      },
      ObjectPattern: (node) => {
        const named = node.properties.filter((one) => KEYS.has(one.key?.name));
        if (named.length && isKeyEvent(node)) report(node, named[0].key.name);
      },
    };
  },
};

const folders = Object.keys(LAYERS);
const ofType = (...types) => ({ element: { type: types } });

export default defineConfig(
  globalIgnores(["dist", "dist-demo", "src/api/schema.ts"]),
  tseslint.configs.recommended,
  {
    plugins: { "react-hooks": reactHooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
      // Rest destructuring removes fields from an object; the unused names begin with _.
      "@typescript-eslint/no-unused-vars": [
        "error",
        { varsIgnorePattern: "^_", argsIgnorePattern: "^_" },
      ],
    },
  },
  {
    files: ["**/*.{ts,tsx}"],
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/no-unnecessary-type-assertion": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/ui/keys.ts"],
    plugins: { keys: { rules: { "key-of": readKeysWithKeyOf } } },
    rules: { "keys/key-of": "error" },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    plugins: { boundaries },
    settings: {
      "import/resolver": { node: { extensions: [".ts", ".tsx"] } },
      "boundaries/elements": [
        { type: "gesture", pattern: "src/canvas/gestures/*", capture: ["name"] },
        ...folders.map((folder) => ({ type: folder, pattern: `src/${folder}` })),
      ],
    },
    rules: {
      "boundaries/dependencies": [
        "error",
        {
          default: "disallow",
          policies: [
            ...folders.map((folder) => ({
              from: ofType(folder),
              allow: { to: ofType(folder, ...LAYERS[folder]) },
            })),
            // The registry lists the gestures; a gesture imports no other gesture.
            { from: ofType("canvas"), allow: { to: ofType("gesture") } },
            { from: ofType("gesture"), allow: { to: ofType("canvas", ...LAYERS.canvas) } },
          ],
        },
      ],
    },
  },
);
