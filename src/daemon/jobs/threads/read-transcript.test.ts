import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryMemory } from "../../../../test/support/memory-fixture.ts";
import { temporaryHome } from "../../../../test/support/temporary-home.ts";
import { idOf, transcript } from "../../../../test/support/transcript-fixture.ts";
import { findAgentByName } from "../../../agents/registry.ts";
import { keepTranscript } from "../../../agents/vaulted.ts";
import { makeDefaultConfig } from "../../../base/config/settings.ts";
import { silentLog } from "../../../base/log.ts";
import { createProjectScrubber } from "../../../redact/project-scrubber.ts";
import { buildCutSettings } from "../../../sessions/chunks/cut-rules.ts";
import { maxAttempts } from "../../../store/memory/jobs/jobs.ts";
import type { JobRecord } from "../../../store/memory/memory-records.ts";
import { listSessions } from "../../../store/memory/sessions/sessions.ts";
import { saveTranscript } from "../../../store/memory/sessions/transcripts.ts";
import { findKeptFile } from "../../../store/vault/vault.ts";
import { Gone, NotYet } from "../do-job.ts";
import { readTranscript } from "./read-transcript.ts";

const claude = findAgentByName("claude")!;

let home: ReturnType<typeof temporaryHome>;
let stored: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  home = temporaryHome();
  stored = temporaryMemory();
});
afterEach(() => {
  stored.remove();
  home.remove();
});

function read(job: Partial<JobRecord>, roots: readonly string[] = []) {
  const work = {
    ...buildCutSettings(makeDefaultConfig()),
    memory: stored.memory,
    embedder: null,
    root: "/nowhere",
    worktrees: [],
    roots,
    log: silentLog,
    ledgerKey: new Uint8Array(32),
    bindsCommits: false,
    hasScrubbingModel: false,
    scrubber: createProjectScrubber(null, makeDefaultConfig()),
  };
  const run = { signal: new AbortController().signal, progress: () => {} };
  return readTranscript(work, { kind: "transcript", total: 0, ...job } as JobRecord, run);
}

test("a transcript that is not there yet is waited for, one that was there is gone, one that was read is no failure", async () => {
  const job = { subject: "/nowhere/s.jsonl", payload: { agent: "gemini" } };
  for (const attempts of [1, maxAttempts])
    await expect(read({ ...job, attempts })).rejects.toBeInstanceOf(NotYet);
  const past = { agent: "gemini", is_import: true };
  await expect(read({ ...job, attempts: 1, total: 100 })).rejects.toBeInstanceOf(Gone);
  await expect(read({ ...job, attempts: 1, payload: past })).rejects.toBeInstanceOf(Gone);
  saveTranscript(stored.memory, {
    path: "/nowhere/s.jsonl",
    agent: "gemini",
    sessionId: null,
    offset: 0,
    lineHash: "",
    size: 0,
    readAt: 0,
    skipped: {},
  });
  expect(await read({ ...job, attempts: 1 })).toBe(0);
});

test("a transcript that its client deleted is read from the vault, which lets go of it then", async () => {
  const path = join(home.dir, "agent", `${idOf("one")}.jsonl`);
  const one = transcript({ session: idOf("one"), cwd: home.dir });
  one.prompt("add a cart");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, one.text());
  keepTranscript(claude, path);
  rmSync(path);
  await read({ subject: path, payload: { agent: "claude" } }, [home.dir]);
  expect(listSessions(stored.memory).map(({ uid }) => uid)).toEqual([idOf("one")]);
  expect(findKeptFile(path)).toBeNull();
});

test("what was replaced before it was read is read as well", async () => {
  const path = join(home.dir, "agent", "export.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  for (const name of ["one", "two"]) {
    rmSync(path, { force: true });
    const session = transcript({ session: idOf(name), cwd: home.dir });
    session.prompt(`add ${name}`);
    writeFileSync(path, session.text());
    keepTranscript(claude, path);
  }
  await read({ subject: path, payload: { agent: "claude" } }, [home.dir]);
  expect(
    listSessions(stored.memory)
      .map(({ uid }) => uid)
      .toSorted(),
  ).toEqual([idOf("one"), idOf("two")].toSorted());
  expect(findKeptFile(path)).toBeNull();
  expect(existsSync(path)).toBe(true);
});
