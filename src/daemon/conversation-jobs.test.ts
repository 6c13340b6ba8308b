import { expect, test } from "vitest";
import { silentLog } from "../project/log.ts";
import { projectAt } from "../project/paths.ts";
import { defaultConfig } from "../project/settings.ts";
import { mostAttempts } from "../store/memory/jobs.ts";
import { temporaryMemory } from "../store/memory/memory-fixture.ts";
import { saveTranscript } from "../store/memory/transcripts.ts";
import type { JobRecord } from "../store/memory-records.ts";
import { ConversationJobs } from "./conversation-jobs.ts";
import type { GitJobs } from "./git-work.ts";
import { NotYet } from "./job-worker.ts";

test("a transcript that was never there is a failure, one that was read before is not", async () => {
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
  for (const attempts of [1, mostAttempts]) {
    await expect(attempt(attempts)).rejects.toThrow("never written, or was deleted unread");
    await expect(attempt(attempts)).rejects.toBeInstanceOf(NotYet);
  }
  saveTranscript(stored.memory, {
    ...{ path: "/nowhere/s.jsonl", agent: "gemini", sessionId: null },
    ...{ offset: 0, lineHash: "", size: 0, readAt: 0, skipped: {} },
  });
  expect(await attempt(1)).toBe(0);
  stored.remove();
});
