import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { silentLog } from "../../base/log.ts";
import { makeNewProject } from "../../base/paths.ts";
import type { MemoryWork } from "../jobs/memory-work.ts";
import { ProjectTranscripts } from "./project-transcripts.ts";

test("looks for the project's roots once when it begins, however many agents there are", async () => {
  const root = mkdtempSync(join(tmpdir(), "pommel-watch-"));
  const findRoots = vi.fn(async () => {});
  const watch = new ProjectTranscripts({
    work: {
      captures: true,
      memoryIfAny: null,
      memory: { readMeta: () => "0" },
      report: (_: unknown, otherwise: unknown) => otherwise,
    } as unknown as MemoryWork,
    project: makeNewProject(root),
    pollSeconds: 5,
    roots: () => [root],
    findRoots,
    onNews: () => {},
    log: silentLog,
  });
  await watch.begin();
  await vi.waitFor(async () => expect(await watch.getVanishing()).not.toBeNull(), { timeout: 60_000 });
  await watch.close();
  expect(findRoots).toHaveBeenCalledTimes(1);
});
