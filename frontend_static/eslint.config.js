import boundaries from "eslint-plugin-boundaries";
import reactHooks from "eslint-plugin-react-hooks";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/** The folders of src/, each with the folders it may import besides itself. */
const LAYERS = {
  theme: [],
  ui: [],
  api: [],
  session: ["api", "ui"],
  canvas: ["session", "ui"],
  run: ["session", "ui"],
  panels: ["run", "session", "theme", "ui"],
  roles: ["api", "ui"],
  site: ["api", "roles", "run", "theme", "ui"],
  app: ["canvas", "panels", "session", "site", "theme", "ui"],
};

const folders = Object.keys(LAYERS);
const ofType = (...types) => ({ element: { type: types } });

export default defineConfig(
  globalIgnores(["dist", "src/api/schema.ts"]),
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
