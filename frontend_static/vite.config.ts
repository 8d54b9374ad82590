import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { sharedChunks } from "./chunks.ts";
import { compress } from "./compress.ts";
import { dropUnusedComponents } from "./unusedComponents.ts";

const ENTRIES = { app: "src/app/main.tsx", site: "src/site/main.ts" };

/**
 * Every file has a hash of its content in its name, so browsers keep it forever. Django reads the
 * names that pages need from `manifest.json`.
 */
export default defineConfig({
  base: "./",
  plugins: [react(), dropUnusedComponents(), compress()],
  publicDir: false,
  resolve: {
    alias: {
      "d3-interpolate": fileURLToPath(new URL("src/canvas/d3/interpolate.ts", import.meta.url)),
      "d3-transition": fileURLToPath(new URL("src/canvas/d3/transition.ts", import.meta.url)),
    },
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    // The oldest browsers with light-dark().
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
    modulePreload: { polyfill: false },
    // The text editor is one chunk, loaded with the first text.
    chunkSizeWarningLimit: 640,
    rolldownOptions: {
      input: ENTRIES,
      output: {
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
        codeSplitting: { groups: sharedChunks(ENTRIES.app, ENTRIES.site) },
      },
    },
  },
  worker: { format: "es" },
  test: {
    include: ["src/**/*.test.ts", "src/**/*.test.tsx"],
    environment: "node",
    // Loading every module again for each file takes half of the time.
    isolate: false,
    testTimeout: 60_000,
  },
});
