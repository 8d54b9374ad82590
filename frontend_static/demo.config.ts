import { fileURLToPath } from "node:url";
import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import canvas from "./vite.config.ts";

const { build, ...shared } = canvas;

/** The demo page, a folder of static files: one script, so that it works without a network. */
export default mergeConfig(
  defineConfig(shared),
  defineConfig({
    base: "./",
    root: fileURLToPath(new URL("demo", import.meta.url)),
    build: {
      ...build,
      outDir: fileURLToPath(new URL("dist-demo", import.meta.url)),
      manifest: false,
      assetsInlineLimit: 0,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  }),
);
