import { expect, test } from "vitest";
import { silentLog } from "../project/log.ts";
import { projectAt } from "../project/paths.ts";
import { defaultConfig } from "../project/settings.ts";
import { mostAttempts } from "../store/memory/jobs.ts";
import { temporaryMemory } from "../store/memory/memory-fixture.ts";
import type { JobRecord } from "../store/memory-records.ts";
import { ConversationJobs } from "./conversation-jobs.ts";
import type { GitJobs } from "./git-work.ts";

test("a transcript that is never there is waited for, and then no failure", async () => {
  const stored = temporaryMemory();
  const jobs = new ConversationJobs({
    project: projectAt("/nowhere"),
    config: defaultConfig(),
    memory: stored.memory,
    embedder: null,
    scrubber: () => {
      throw new Error("Nothing is to be scrubbed.");
    },
    roots: () => [],
    onNewLines: () => {},
    onUnknown: () => {},
    onSaid: () => {},
    git: {} as GitJobs,
    alone: (work) => work(),
    log: silentLog,
  });
  const run = { signal: new AbortController().signal, progress: () => {} };
  const job = {
    kind: "transcript",
    subject: "/nowhere/s.jsonl",
    payload: { agent: "gemini" },
  } as Partial<JobRecord>;
  const attempt = (attempts: number) => jobs.run({ ...job, attempts } as JobRecord, run);
  await expect(attempt(mostAttempts - 1)).rejects.toMatchObject({ code: "ENOENT" });
  expect(await attempt(mostAttempts)).toBe(0);
  stored.remove();
});
