import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The benchmark build, which is not part of the product. */
export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  plugins: [react()],
  build: { outDir: "../node_modules/.bench", emptyOutDir: true, target: "es2022" },
  worker: { format: "es" },
});
