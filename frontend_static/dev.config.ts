import { mergeConfig, type Plugin } from "vite";
import base from "./vite.config.ts";

const server = process.env.DEV_SERVER ?? "http://127.0.0.1:8001";

/** The addresses that templates name in a build, each with its source module. */
const ENTRIES: Record<string, string> = {
  "/static/dist/app.js": "src/app/main.tsx",
  "/static/dist/site.js": "src/site/main.ts",
};

/** Serve source modules under the addresses that templates use. */
function entries(): Plugin {
  return {
    name: "signalbox-entries",
    configureServer(dev) {
      dev.middlewares.use((request, response, next) => {
        const path = request.url?.split("?")[0] ?? "";
        const source = ENTRIES[path];
        if (source) {
          response.setHeader("Content-Type", "text/javascript");
          response.end(
            [
              'import { injectIntoGlobalHook } from "/static/dist/@react-refresh";',
              "injectIntoGlobalHook(window);",
              "window.$RefreshReg$ = () => {};",
              "window.$RefreshSig$ = () => (type) => type;",
              'await import("/static/dist/@vite/client");',
              `await import("/static/dist/${source}");`,
            ].join("\n"),
          );
        } else if (path === "/static/dist/app.css") {
          // Source modules import their own style sheets.
          response.setHeader("Content-Type", "text/css");
          response.end("");
        } else next();
      });
    },
  };
}

/** Vite's development server: canvas sources from here, every other request proxied to Django. */
export default mergeConfig(base, {
  plugins: [entries()],
  server: {
    strictPort: true,
    proxy: {
      "^/(?!static/dist/)": {
        target: server,
        ws: true,
        configure: (proxy: {
          on: (
            name: "proxyRes",
            then: (answer: { headers: Record<string, unknown> }) => void,
          ) => void;
        }) => {
          // The page's policy is dropped because Vite adds style elements without a nonce.
          proxy.on("proxyRes", (answer) => delete answer.headers["content-security-policy"]);
        },
      },
    },
  },
});
