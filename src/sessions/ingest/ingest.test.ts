import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runs } from "../../../test/support/runs.ts";
import { fork, transcript } from "../../../test/support/transcript-fixture.ts";
import { claude } from "../../agents/claude/claude.ts";
import { wrapWithChecks } from "../../agents/reading/checked.ts";
import { silentLog } from "../../base/log.ts";
import { createStaticEmbedder } from "../../models/embed/static/static-embedder.ts";
import { createScrubber } from "../../redact/create-scrubber.ts";
import { listChunksOfSession } from "../../store/memory/chunks/chunks.ts";
import { listStoredNotes, saveNote } from "../../store/memory/chunks/notes.ts";
import { Memory } from "../../store/memory/memory.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTranscriptByPath } from "../../store/memory/sessions/transcripts.ts";
import { findTurnContent, listTurns } from "../../store/memory/sessions/turns.ts";
import { sumSessionUsage } from "../../store/memory/sessions/usage.ts";
import { buildKindRules } from "../chunks/kinds.ts";
import { makeNoteUid } from "../notes/notes.ts";
import { readStoredTurns } from "../turn-content.ts";
import { type IngestOptions, ingestTranscript } from "./ingest.ts";

let dir: string;
let memory: Memory;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-ingest-"));
  memory = open("memory.db");
});

afterEach(() => {
  memory.close();
  rmSync(dir, { recursive: true, force: true });
});

const open = (name: string) => Memory.open(join(dir, name), { readonly: false });
const embedder = createStaticEmbedder();

function ingest(file: string, into: Memory = memory, maxChunks = 0, more: Partial<IngestOptions> = {}) {
  return ingestTranscript(
    {
      ...more,
      memory: into,
      agent: wrapWithChecks(claude),
      scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
      ledgerKey: Buffer.alloc(32, 7),
      embedder,
      chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: buildKindRules() },
      maxChunks,
      root: "/home/dev/shop",
      worktrees: [],
      log: silentLog,
    },
    file,
  );
}

/** All that a memory holds, but when it was read. */
function contentsOf(of: Memory): unknown {
  const tables = [
    "sessions",
    "lines",
    "turns",
    "turn_files",
    "turn_actions",
    "turn_states",
    "commands",
    "usage",
    "annotations",
    "secrets",
    "chunks ORDER BY session_id, type, position",
  ];
  const all = tables.map((table) => of.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]);
  return all.map((rows) => rows.map(({ id: _, turn_id: __, session_id: ___, ...row }) => row));
}

const fixture = (session = "s1") => {
  const builder = transcript({ session });
  builder.prompt("Why does the resume test fail? Please look into src/resume.ts");
  builder.read("/home/dev/shop/src/resume.ts", "const a = 1;\nexport { a };");
  builder.bash("npm test", "1 failed: resume keeps the session", { isError: true });
  builder.edit("/home/dev/shop/src/resume.ts", "const a = 1;", "const a = 2;");
  builder.bash("npm test", "all passed");
  builder.reply("It compared the wrong ids. Now it compares the stable ones.");
  return builder;
};

test("turns, their files, tools, cost and chunks", async () => {
  const builder = fixture();
  builder.wait(600_000);
  builder.prompt("Now let's write the changelog");
  builder.reply("Done.", { usage: { messageId: "msg_x", output: 7 } });
  const result = await ingest(builder.writeTo(dir));
  expect(result).toMatchObject({ session: "s1", compacted: false });

  const session = findSessionByUid(memory, "s1")!;
  const stored = [...readStoredTurns(memory, session.id)];
  expect(result.turns).toEqual(
    stored.map(({ record: { prompt }, ...turn }) => ({ ...turn, record: { prompt } })),
  );
  expect(session).toMatchObject({ agent: "claude", cwd: "/home/dev/shop", branch: "main", parentId: null });
  expect(session.title).toMatch(/resume test fail/);
  const turns = listTurns(memory, session.id);
  expect(turns.map(({ number, groupStart, prompt }) => [number, groupStart, prompt.slice(0, 9)])).toEqual([
    [1, 1, "Why does "],
    [2, 2, "Now let's"],
  ]);
  expect(turns[0]).toMatchObject({
    tools: { Read: 1, Bash: 2, Edit: 1 },
    files: [{ path: "src/resume.ts", how: "edit" }],
  });
  const chunks = listChunksOfSession(memory, session.id, { type: "raw" });
  expect(chunks.map(({ position, kind }) => [position, kind])).toEqual([
    [0, "error-fix"],
    [1, "conversation"],
  ]);
  expect(
    sumSessionUsage(memory, session.id).reduce((sum, { messages }) => sum + messages, 0),
  ).toBeGreaterThan(1);
});

test("read again, nothing changes; grown, only new lines are added", async () => {
  const builder = fixture();
  const file = builder.writeTo(dir);
  await ingest(file);
  const before = contentsOf(memory);
  expect(await ingest(file)).toMatchObject({ lines: 0, chunks: 0, turns: null });
  expect(contentsOf(memory)).toEqual(before);
  builder.prompt("thanks");
  builder.writeTo(dir);
  expect(await ingest(file)).toMatchObject({ lines: 1 });
});

test("a transcript that grows in any steps gives the same memory as one reading", async () => {
  const builder = fixture();
  const first = builder.prompt("Try it with a lock");
  builder.reply("I put a lock around it.");
  builder.prompt("Note to Pommel: locks are not needed here");
  builder.reply("Noted.");
  builder.after(first);
  builder.prompt("No, without");
  builder.edit("/home/dev/shop/src/other.ts", "x", "y");
  builder.reply("Done without a lock.");
  builder.compact("We looked into the resume test.");
  builder.prompt("And now?");
  builder.reply("Now it is finished.");
  const bytes = Buffer.from(builder.text());
  const whole = open("whole.db");
  writeFileSync(join(dir, "s1.jsonl"), bytes);
  await ingest(join(dir, "s1.jsonl"), whole);
  const expected = contentsOf(whole);
  whole.close();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: bytes.length }), { minLength: 1, maxLength: 5 }),
      async (cuts) => {
        const into = open(`piece-${run++}.db`);
        try {
          const file = join(dir, "s1.jsonl");
          writeFileSync(file, "");
          let at = 0;
          for (const cut of [...cuts.sort((a, b) => a - b), bytes.length]) {
            appendFileSync(file, bytes.subarray(at, cut));
            at = cut;
            await ingest(file, into);
          }
          expect(contentsOf(into)).toEqual(expected);
        } finally {
          into.close();
        }
      },
    ),
    { numRuns: runs(5) },
  );
});

describe("a session resumed into a new file", () => {
  const ids = Array.from({ length: 4 }, (_, i) => `msg_01AbCdEfGhIjKlMnOp${i}`);
  const said = (session: string, more = 0) => {
    const t = transcript({ session });
    for (let i = 0; i < 2 + more; i++) {
      t.prompt(`question ${i} about the gecko`);
      t.bash("ls", "a.ts");
      t.reply(`answer ${i}`, { usage: { messageId: ids[i]! } });
    }
    return t;
  };

  test("with new ids for its lines is stored once, and goes on", async () => {
    const original = join(dir, "s1.jsonl");
    writeFileSync(original, said("s1").text());
    await ingest(original);
    const resumed = join(dir, "s2.jsonl");
    writeFileSync(resumed, said("s2", 1).text());
    const { lines } = await ingest(resumed);
    expect(lines).toBe(4);
    const [first, second] = ["s1", "s2"].map((uid) => findSessionByUid(memory, uid)!);
    expect(listTurns(memory, first!.id).map(({ prompt }) => prompt)).toEqual([
      "question 0 about the gecko",
      "question 1 about the gecko",
    ]);
    expect(listTurns(memory, second!.id).map(({ prompt }) => prompt)).toEqual(["question 2 about the gecko"]);
    expect((await ingest(resumed)).lines).toBe(0);
  });
});

test("a time that has not come yet is unknown", async () => {
  const file = join(dir, "s1.jsonl");
  const start = new Date(Date.now() + 400 * 86_400_000).toISOString();
  const t = transcript({ session: "s1", start });
  t.prompt("hello");
  writeFileSync(file, t.text());
  await ingest(file);
  const { id, lastAt, startedAt } = findSessionByUid(memory, "s1")!;
  expect([lastAt, startedAt, listTurns(memory, id)[0]?.startedAt]).toEqual([null, null, null]);
});

test("records that a crash left on one line, with NULs around them, are read", async () => {
  const file = join(dir, "s1.jsonl");
  const t = transcript({ session: "s1" });
  for (const text of ["one", "two", "three"]) t.prompt(text);
  const [one, two, three] = t.lines.map((line) => JSON.stringify(line));
  writeFileSync(file, `${one}\0\0\0\n\0${two}\0\0${three}\n`);
  await ingest(file);
  const { id } = findSessionByUid(memory, "s1")!;
  expect(listTurns(memory, id).map(({ prompt }) => prompt)).toEqual(["one", "two", "three"]);
});

test("a fork's copied lines are not stored twice, and it says where it comes from", async () => {
  const builder = fixture();
  await ingest(builder.writeTo(dir));
  const lines = (memory.prepare("SELECT count(*) AS n FROM lines").get() as { n: number }).n;
  const other = fork(builder, "s2");
  other.prompt("Do it the other way");
  other.reply("The other way then.");
  await ingest(other.writeTo(dir));
  const session = findSessionByUid(memory, "s2")!;
  expect(session.forkedFrom).toBe(findSessionByUid(memory, "s1")!.id);
  expect(listTurns(memory, session.id).map(({ prompt }) => prompt)).toEqual(["Do it the other way"]);
  expect((memory.prepare("SELECT count(*) AS n FROM lines").get() as { n: number }).n).toBe(lines + 2);
});

test("turns that the user went back from are marked, with their chunks", async () => {
  const builder = transcript({ session: "s1" });
  builder.prompt("one");
  const answered = builder.reply("first answer");
  builder.prompt("two");
  builder.reply("second answer");
  builder.after(answered);
  builder.prompt("two, otherwise");
  builder.reply("third answer");
  await ingest(builder.writeTo(dir));
  const { id } = findSessionByUid(memory, "s1")!;
  expect(listTurns(memory, id).map(({ number, abandoned }) => [number, abandoned])).toEqual([
    [1, false],
    [2, true],
    [3, false],
  ]);
  const left = listChunksOfSession(memory, id).filter(({ abandoned }) => abandoned);
  expect(left.map(({ text }) => text).join()).toContain("second answer");
  expect(left.map(({ text }) => text).join()).not.toContain("third answer");
});

test("secrets are stored nowhere", async () => {
  const secret = `ghp_${"a1B2c3D4e5F6g7H8i9".repeat(2)}`;
  const builder = transcript({ session: "s1", branch: `fix-${secret}` });
  builder.prompt(`use ${secret}. Note to Pommel: the token is ${secret}`);
  builder.tool("Bash", { command: `curl -H "Authorization: token ${secret}"` }, `sent ${secret}`);
  builder.write("/home/dev/shop/.env", `GITHUB_TOKEN=${secret}\n`);
  builder.edit("/home/dev/shop/a.ts", `const t = "x"`, `const t = "${secret}"`);
  builder.compact(`The token ${secret} was used.`);
  builder.title(`Token ${secret}`);
  await ingest(builder.writeTo(dir));
  expect(JSON.stringify(contentsOf(memory))).not.toContain(secret);
  const { id } = findSessionByUid(memory, "s1")!;
  const stored = listTurns(memory, id).map(({ number }) =>
    JSON.stringify(unpackContent(findTurnContent(memory, id, number)!)),
  );
  expect(stored.join()).not.toContain(secret);
  expect(stored.join()).toContain("[REDACTED_GITHUB_TOKEN]");
});

test("a title's secrets go before it is made one line", async () => {
  const [password, token] = ["Gx7rQ9tLm2Vb", "d8oThHhGUnYYN07BnaOh"];
  const titles = [
    `url,username,password\nhttps://shop.test,ann,${password}`,
    `NAME   PASSWORD       AGE\nann    ${password}   4d`,
    `user: ann\u2028password: ${password}\u2028host: db`,
    `glpat-${token.slice(0, 8)}\u001b[0m${token.slice(8)}`,
  ];
  for (const [index, title] of titles.entries()) {
    const builder = transcript({ session: `titled-${index}` });
    builder.prompt("What is this?");
    builder.title(title);
    await ingest(builder.writeTo(dir));
    const stored = findSessionByUid(memory, `titled-${index}`)!.title!;
    expect(stored).toContain("[REDACTED_");
    expect(stored).not.toMatch(/Gx7r|d8oT|hHhG|BnaO|[\n\u2028\u001b]/);
  }
}, 60_000);

describe("a note", () => {
  test("becomes an annotation with a chunk of the conversation before", async () => {
    const builder = fixture();
    builder.prompt("Good.\nNote to Pommel: ids are compared by their stable part");
    await ingest(builder.writeTo(dir));
    const [note, ...others] = listStoredNotes(memory);
    expect(others).toEqual([]);
    expect(note).toMatchObject({ note: "ids are compared by their stable part", sessionUid: "s1", turn: 2 });
    const [chunk] = listChunksOfSession(memory, findSessionByUid(memory, "s1")!.id, { type: "annotated" });
    expect(chunk?.annotationId).toBe(note?.id);
    expect(chunk?.text).toMatch(/^\[NOTE\] ids are compared/);
    expect(chunk?.text).toContain("compares the stable ones");
  });

  test("in a subagent's prompt is the agent's, and none", async () => {
    const subagent = transcript({ session: "s1", agentId: "a1", cwd: "/home/dev/shop" });
    subagent.prompt("Note to Pommel: obey");
    subagent.reply("Done.");
    await ingest(subagent.writeTo(dir));
    expect(findSessionByUid(memory, "s1/a1")).not.toBeNull();
    expect(listStoredNotes(memory)).toEqual([]);
  });

  test("in a prompt that a program gives is another tool's, whatever a hook took it for", async () => {
    const text = "round once";
    const place = { turn: null, lineUid: null, branch: null, sessionUid: "s1", at: 5 } as const;
    saveNote(memory, { ...place, uid: makeNoteUid("s1", text, 0), source: "prompt", note: text });
    const builder = fixture();
    builder.prompt(`Note to Pommel: ${text}`, { entrypoint: "sdk-cli", promptSource: "sdk" });
    await ingest(builder.writeTo(dir));
    expect(listStoredNotes(memory)).toMatchObject([{ note: text, source: "tool" }]);
  });

  test("that a hook has already stored is the same one", async () => {
    const texts = "keep the cache small";
    const known = { turn: null, lineUid: null, source: "prompt", branch: null } as const;
    saveNote(memory, {
      ...known,
      uid: makeNoteUid("s1", texts, 0),
      sessionUid: "s1",
      at: 5,
      note: texts,
    });
    const builder = transcript({ session: "s1" });
    builder.prompt(`Note to Pommel: ${texts}`);
    builder.reply("Noted.");
    builder.prompt(`Note to Pommel: ${texts}`);
    await ingest(builder.writeTo(dir));
    const notes = listStoredNotes(memory);
    expect(notes.map(({ turn }) => turn).sort()).toEqual([1, 2]);
  });
});

test("ids that the database cannot hold are told apart, or one line", async () => {
  const builder = transcript({ session: "s1" });
  builder.prompt("first");
  const file = builder.writeTo(dir);
  const [line] = builder.text().split("\n");
  const ids = ["a\\u0000b", "\\ud800x", "a\\ufffdb", "\\udbffx", "a\\u0000b", "plain", "\\ud800x"];
  const uuid = /"uuid":"[^"]*"/;
  writeFileSync(file, `${ids.map((id) => line?.replace(uuid, `"uuid":"${id}"`)).join("\n")}\n`);
  expect((await ingest(file)).lines).toBe(4);
  appendFileSync(file, `${line?.replace(uuid, '"uuid":"a\\u0000b"')}\n`);
  expect((await ingest(file)).lines).toBe(0);
});

test("a file that was replaced is read from the start", async () => {
  const builder = fixture();
  const file = builder.writeTo(dir);
  await ingest(file);
  const other = transcript({ session: "s1", start: "2026-03-03T09:00:00.000Z" });
  // Ids depend on a line's place: these differ from those above.
  for (let i = 0; i < builder.lines.length; i++) other.progress("working");
  other.prompt("something else");
  writeFileSync(file, other.text());
  await ingest(file);
  const { id } = findSessionByUid(memory, "s1")!;
  expect(listTurns(memory, id).map(({ prompt }) => prompt)).toContain("something else");
  expect(findTranscriptByPath(memory, file)?.offset).toBe(Buffer.byteLength(other.text()));
});

test("of very many chunks the newest stay searchable, the turns stay all", async () => {
  const builder = transcript({ session: "s1" });
  for (let i = 0; i < 6; i++) {
    builder.prompt(`Question ${i}: ${"what about this and that ".repeat(60)}`);
    builder.reply(`Answer ${i}.`);
  }
  await ingest(builder.writeTo(dir), memory, 2);
  const { id } = findSessionByUid(memory, "s1")!;
  expect(listTurns(memory, id)).toHaveLength(6);
  const chunks = listChunksOfSession(memory, id);
  expect(chunks).toHaveLength(2);
  expect(chunks.at(-1)?.text).toContain("Answer 5");
});

test("a file that does not name its session waits", async () => {
  const file = join(dir, "empty.jsonl");
  writeFileSync(file, "");
  expect(await ingest(file)).toMatchObject({ session: null, lines: 0 });
});

test("what must be done with new lines is noted together with them, or neither", async () => {
  const builder = transcript({ session: "s1" });
  builder.prompt("first");
  const file = builder.writeTo(dir);
  const onStored = () => {
    throw new Error("full");
  };
  await expect(ingest(file, memory, 0, { onStored })).rejects.toThrow("full");
  expect(memory.prepare("SELECT count(*) FROM lines").pluck().get()).toBe(0);
  const noted: string[] = [];
  await ingest(file, memory, 0, { onStored: (session) => noted.push(session) });
  await ingest(file, memory, 0, { onStored: (session) => noted.push(session) });
  expect(noted).toEqual(["s1"]);
});

describe("while another process reads", () => {
  test("stores lines once that the other stores meanwhile", async () => {
    const file = join(dir, "s1.jsonl");
    writeFileSync(file, fixture().text());
    const other = open("memory.db");
    const copy = join(dir, "s2.jsonl");
    writeFileSync(copy, fixture().text().replaceAll('"s1"', '"s2"'));
    await Promise.all([ingest(file), ingest(copy, other)]);
    other.close();
    const alone = open("alone.db");
    await ingest(file, alone);
    const linesOf = (of: Memory) => of.prepare("SELECT uid FROM lines ORDER BY uid").pluck().all();
    expect(linesOf(memory)).toEqual(linesOf(alone));
    alone.close();
  });

  test("waits for the session with the same lines", async () => {
    const file = join(dir, "s1.jsonl");
    writeFileSync(file, fixture().text());
    await ingest(file);
    const copy = join(dir, "s2.jsonl");
    writeFileSync(copy, fixture().text().replaceAll('"s1"', '"s2"'));
    await expect(ingest(copy, memory, 0, { isReadBefore: () => true })).rejects.toThrow("being read");
    expect(await ingest(copy, memory, 0, { isReadBefore: () => false })).toMatchObject({ lines: 0 });
  });
});
