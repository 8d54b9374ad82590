import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Built beside the product and never shipped with it. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  build: { outDir: "../node_modules/.bench", emptyOutDir: true, target: "es2022" },
  worker: { format: "es" },
});
