import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { migrated, type RolloutFixture, rollout, threadId } from "../../../test/support/rollout-fixture.ts";
import { compressed } from "../../../test/support/zstd-frames.ts";
import { codex } from "../../agents/codex/codex.ts";
import { silentLog } from "../../base/log.ts";
import { createScrubber } from "../../redact/create-scrubber.ts";
import { Memory } from "../../store/memory/memory.ts";
import { emptyForgetRequest, forget } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import {
  findTranscriptByPath,
  listTranscripts,
  listUnknownTranscripts,
} from "../../store/memory/sessions/transcripts.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { sumSessionUsage } from "../../store/memory/sessions/usage.ts";
import { buildKindRules } from "../chunks/kinds.ts";
import { readStoredTurns } from "../turn-content.ts";
import { previewImport } from "./import-preview.ts";
import { ingestTranscript } from "./ingest.ts";

let home: string;
let memory: Memory;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pommel-codex-"));
  memory = Memory.open(join(home, "memory.db"), { readonly: false });
});
afterEach(() => {
  memory.close();
  rmSync(home, { recursive: true, force: true });
});

const ingest = (file: string) =>
  ingestTranscript(
    {
      memory,
      agent: codex,
      scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
      ledgerKey: Buffer.alloc(32, 7),
      embedder: null,
      chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: buildKindRules() },
      maxChunks: 0,
      root: "/home/dev/shop",
      worktrees: [],
      log: silentLog,
    },
    file,
  );

const session = threadId("session");
const edit = {
  envelope: "*** Begin Patch\n*** Update File: src/cart.ts\n@@\n-a\n+b\n*** End Patch\n",
  changes: {
    "/home/dev/shop/src/cart.ts": { type: "update", unified_diff: "@@ -1 +1 @@\n-a\n+b\n", move_path: null },
  },
} as const;

function sampleRollout(format: "legacy" | "paginated" | "code"): RolloutFixture {
  const r = rollout({ session, format });
  r.turn();
  r.prompt("Why is the total wrong?");
  r.bash("cat src/cart.ts", "a");
  r.patch(edit.envelope, edit.changes);
  r.tokens(100, 10, 60);
  r.reply("It was a.");
  r.turn();
  r.prompt("go on");
  r.bash("npm test", "1 failed", 1);
  r.reply("It was a.");
  r.tokens(200, 20);
  return r;
}

/** The stored sessions, without row ids. */
function stored(): unknown {
  const rows = (sql: string) => memory.prepare(sql).all();
  return [
    rows("SELECT uid, seq, turn FROM lines ORDER BY uid"),
    rows("SELECT number, prompt, tools FROM turns ORDER BY id"),
    rows("SELECT path, how FROM turn_files ORDER BY path"),
    rows("SELECT message_uid, model, input, output FROM usage ORDER BY 1"),
  ];
}

it.each(["legacy", "paginated", "code"] as const)(
  "stores turns of a rollout of the format %s",
  async (format) => {
    const result = await ingest(sampleRollout(format).writeTo(home));
    expect(result).toMatchObject({ session, compacted: false });
    const { id, agent, branch, title } = findSessionByUid(memory, session)!;
    expect({ agent, branch, title }).toEqual({
      agent: "codex",
      branch: "main",
      title: "Why is the total wrong?",
    });
    expect(listTurns(memory, id)).toMatchObject([
      {
        number: 1,
        tools: { Bash: 1, apply_patch: 1 },
        files: expect.arrayContaining([{ path: "src/cart.ts", how: "edit" }]),
      },
      { number: 2, prompt: "go on", tools: { Bash: 1 } },
    ]);
    expect(sumSessionUsage(memory, id)).toMatchObject([
      { model: "gpt-5.5", messages: 2, input: 240, output: 30, cacheRead: 60 },
    ]);
    for (const { lines } of readStoredTurns(memory, id)) {
      expect(lines.at(-1)?.model).toBe("gpt-5.5");
    }
  },
);

it("stores nothing twice when the client has rewritten a rollout, and adds new lines", async () => {
  const r = sampleRollout("legacy");
  const file = r.writeTo(home);
  await ingest(file);
  const before = stored();
  const text = migrated(r.text());
  writeFileSync(file, text);
  expect((await ingest(file)).lines).toBe(0);
  expect(stored()).toEqual(before);
  const more = rollout({ session, start: "2026-03-02T10:00:00.000Z" });
  more.lines.length = 0;
  more.turn();
  more.prompt("and now?");
  more.reply("It was a.");
  appendFileSync(file, more.text());
  expect((await ingest(file)).lines).toBe(2);
  expect(listTurns(memory, findSessionByUid(memory, session)!.id).map(({ number }) => number)).toEqual([
    1, 2, 3,
  ]);
});

it("goes on where it was when a session is archived", async () => {
  const r = sampleRollout("paginated");
  const file = r.writeTo(home);
  await ingest(file);
  const before = stored();
  const archived = join(home, r.path("archived_sessions"));
  mkdirSync(dirname(archived), { recursive: true });
  renameSync(file, archived);
  const asked = {
    agent: codex,
    places: codex.listRoots({ CODEX_HOME: home }),
    memory,
    roots: null,
    since: null,
  };
  expect(await previewImport(asked)).toMatchObject({ files: [], imported: { sessions: 1 } });
  const offset = findTranscriptByPath(memory, file)?.offset;
  expect((await ingest(archived)).lines).toBe(0);
  expect(stored()).toEqual(before);
  expect(listTranscripts(memory).map((one) => [one.path, one.offset])).toEqual([[archived, offset]]);
});

it("stores nothing twice when the client compresses a rollout, and reads on when it goes on with it", async () => {
  const r = sampleRollout("paginated");
  const plain = r.writeTo(home);
  await ingest(plain);
  const before = stored();
  const zst = `${plain}.zst`;
  writeFileSync(zst, compressed(r.text()));
  rmSync(plain);
  expect(listUnknownTranscripts(memory, [zst])).toEqual([]);
  expect((await ingest(zst)).lines).toBe(0);
  expect(stored()).toEqual(before);
  const asked = {
    agent: codex,
    places: codex.listRoots({ CODEX_HOME: home }),
    memory,
    roots: null,
    since: null,
  };
  expect(await previewImport(asked)).toMatchObject({ files: [], imported: { sessions: 1 } });
  r.prompt("and now?");
  r.writeTo(home);
  rmSync(zst);
  expect((await ingest(plain)).lines).toBe(1);
});

it("imports a compressed rollout whose plain file it never saw", async () => {
  const r = sampleRollout("paginated");
  await ingest(r.writeTo(home));
  const expected = stored();
  memory.close();
  rmSync(join(home, "memory.db"));
  memory = Memory.open(join(home, "memory.db"), { readonly: false });
  const zst = join(home, `${r.path()}.zst`);
  writeFileSync(zst, compressed(r.text()));
  rmSync(join(home, r.path()));
  const asked = {
    agent: codex,
    places: codex.listRoots({ CODEX_HOME: home }),
    memory,
    roots: null,
    since: null,
  };
  expect(listUnknownTranscripts(memory, [zst])).toEqual([zst]);
  expect(await previewImport(asked)).toMatchObject({ sessions: 1, files: [{ path: zst, session }] });
  await ingest(zst);
  expect(stored()).toEqual(expected);
});

it("takes a copy for another file of the same session", async () => {
  const r = sampleRollout("paginated");
  const file = r.writeTo(home);
  await ingest(file);
  const before = stored();
  const copy = join(home, "copy", r.path());
  mkdirSync(dirname(copy), { recursive: true });
  writeFileSync(copy, readFileSync(file));
  expect((await ingest(copy)).lines).toBe(0);
  expect(stored()).toEqual(before);
  expect(listTranscripts(memory)).toHaveLength(2);
});

it("knows a fork's origin, in any order of reading", async () => {
  const forked = rollout({ session: threadId("fork"), meta: { forked_from_id: session } });
  forked.turn();
  forked.prompt("And on the other branch?");
  await ingest(forked.writeTo(home));
  await ingest(sampleRollout("paginated").writeTo(home));
  const origin = findSessionByUid(memory, session)!;
  expect(findSessionByUid(memory, threadId("fork"))?.forkedFrom).toBe(origin.id);
  expect(listTurns(memory, origin.id)).toHaveLength(2);
});

it("brings back no session that was forgotten, for a fork of it", async () => {
  await ingest(sampleRollout("paginated").writeTo(home));
  forget(memory, { ...emptyForgetRequest, sessions: [findSessionByUid(memory, session)!.id] });
  const forked = rollout({ session: threadId("fork"), meta: { forked_from_id: session } });
  forked.turn();
  forked.prompt("And on the other branch?");
  await ingest(forked.writeTo(home));
  expect(findSessionByUid(memory, session)).toBeNull();
  expect(findSessionByUid(memory, threadId("fork"))?.forkedFrom).toBeNull();
});

it("stores a subagent below the session that started it", async () => {
  const child = rollout({
    session: threadId("child"),
    format: "code",
    meta: {
      session_id: session,
      parent_thread_id: session,
      source: { subagent: { thread_spawn: { agent_path: "/root/counter", depth: 1 } } },
    },
  });
  child.turn();
  child.between("NEW_TASK", "counter", null);
  child.bash("ls src", "cart.ts");
  child.reply("One.");
  await ingest(child.writeTo(home));
  const parent = sampleRollout("code");
  parent.spawn("counter", "Count the files", threadId("child"));
  await ingest(parent.writeTo(home));
  const own = listSessions(memory, { remembered: true }).filter(({ parentId }) => parentId === null);
  expect(own.map(({ uid }) => uid)).toEqual([session]);
  expect(findSessionByUid(memory, threadId("child"))).toMatchObject({
    parentId: own[0]!.id,
    title: "counter",
  });
});
