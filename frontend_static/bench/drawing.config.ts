import { defineConfig } from "vite";

/** The drawing benchmark as a Node program, which is not part of the product. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    ssr: "drawing.ts",
    outDir: "../node_modules/.bench-drawing",
    emptyOutDir: true,
    target: "es2022",
  },
});
