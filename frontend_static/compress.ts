import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

const TEXT = /\.(js|css|svg|json|wasm)$/;
/** Smaller files fit into one packet anyway. */
const LEAST_BYTES = 700;

const brotli = promisify(brotliCompress);
const gzipped = promisify(gzip);

/** Write `.br` and `.gz` next to each file of a build. WhiteNoise sends what a browser accepts. */
export function compress(): Plugin {
  return {
    name: "signalbox-compress",
    apply: "build",
    async writeBundle(options) {
      if (this.meta.watchMode || !options.dir) return;
      const names = await readdir(options.dir, { recursive: true });
      const paths = names.filter((name) => TEXT.test(name)).map((name) => join(options.dir!, name));
      await Promise.all(paths.map(compressFile));
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const text = await readFile(path);
  if (text.length < LEAST_BYTES) return;
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: text.length,
  };
  await Promise.all([
    brotli(text, { params }).then((small) => writeFile(`${path}.br`, small)),
    gzipped(text, { level: 9 }).then((small) => writeFile(`${path}.gz`, small)),
  ]);
}
