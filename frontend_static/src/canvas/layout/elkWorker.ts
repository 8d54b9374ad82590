/** elkjs in a worker of its own. This module is a separate chunk, loaded with the first layout. */

import ELK from "elkjs/lib/elk-api";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { ElkEngine } from "./elk";

export function startElk(): ElkEngine {
  let fail: (error: Error) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => (fail = reject));
  failure.catch(() => undefined);
  const elk = new ELK({
    workerFactory: () => {
      const worker = new Worker(workerUrl);
      worker.addEventListener("error", () => fail(new Error("The layout worker did not start.")));
      return worker;
    },
  });
  return { layout: (graph) => Promise.race([elk.layout(graph), failure]) };
}
