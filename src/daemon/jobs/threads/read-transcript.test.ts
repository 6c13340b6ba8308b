import { expect, test } from "vitest";
import { temporaryMemory } from "../../../../test/support/memory-fixture.ts";
import { defaultConfig } from "../../../project/config/settings.ts";
import { silentLog } from "../../../project/log.ts";
import { scrubberOf } from "../../../redact/project-scrubber.ts";
import { cutSettingsOf } from "../../../sessions/chunks/cut-rules.ts";
import { maxAttempts } from "../../../store/memory/jobs/jobs.ts";
import type { JobRecord } from "../../../store/memory/memory-records.ts";
import { saveTranscript } from "../../../store/memory/sessions/transcripts.ts";
import { NotYet } from "../do-job.ts";
import { readTranscript } from "./read-transcript.ts";

test("a transcript that was never there is a failure, one that was read before is not", async () => {
  const stored = temporaryMemory();
  const work = {
    ...cutSettingsOf(defaultConfig()),
    ...{ memory: stored.memory, embedder: null, root: "/nowhere", worktrees: [], roots: [], log: silentLog },
    ...{ ledgerKey: new Uint8Array(32), bindsCommits: false, hasScrubbingModel: false },
    scrubber: scrubberOf(null, defaultConfig()),
  };
  const run = { signal: new AbortController().signal, progress: () => {} };
  const job = {
    kind: "transcript",
    subject: "/nowhere/s.jsonl",
    payload: { agent: "gemini" },
  } as Partial<JobRecord>;
  const attempt = (attempts: number) => readTranscript(work, { ...job, attempts } as JobRecord, run);
  for (const attempts of [1, maxAttempts]) {
    await expect(attempt(attempts)).rejects.toThrow("never written, or was deleted before");
    await expect(attempt(attempts)).rejects.toBeInstanceOf(NotYet);
  }
  saveTranscript(stored.memory, {
    ...{ path: "/nowhere/s.jsonl", agent: "gemini", sessionId: null },
    ...{ offset: 0, lineHash: "", size: 0, readAt: 0, skipped: {} },
  });
  expect(await attempt(1)).toBe(0);
  stored.remove();
});
