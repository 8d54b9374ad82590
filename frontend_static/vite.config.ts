import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/**
 * Templates name `app.js`, `app.css` and `site.js`, so these three keep their names; every other
 * file has a hash. All CSS goes into one file because all pages share it.
 */
export default defineConfig({
  base: "/static/dist/",
  plugins: [react()],
  publicDir: false,
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    // The text editor is one chunk, loaded with the first text.
    chunkSizeWarningLimit: 640,
    rolldownOptions: {
      input: { app: "src/app/main.tsx", site: "src/site/main.ts" },
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: (asset) =>
          asset.names.some((name) => name.endsWith(".css"))
            ? "app.css"
            : "assets/[name]-[hash][extname]",
      },
    },
  },
  worker: { format: "es" },
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"], environment: "node" },
});
