import { mergeConfig, type Plugin } from "vite";
import base from "./vite.config.ts";

const server = process.env.DEV_SERVER ?? "http://127.0.0.1:8001";

/** Entries of the build, by the address that templates use, and the modules behind them. */
const ENTRIES: Record<string, string> = {
  "/static/dist/app.js": "src/app/main.tsx",
  "/static/dist/site.js": "src/site/main.ts",
};

/** Templates name the files of a build; during development they load modules of the sources. */
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
          // Modules bring their own style sheets.
          response.setHeader("Content-Type", "text/css");
          response.end("");
        } else next();
      });
    },
  };
}

/** The development server: sources of the canvas from here, everything else from Django. */
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
          // Vite adds style elements without a nonce.
          proxy.on("proxyRes", (answer) => delete answer.headers["content-security-policy"]);
        },
      },
    },
  },
});
