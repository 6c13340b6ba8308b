import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ChatFixture, chat, idOf } from "../../../test/support/chat-fixture.ts";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { gemini } from "../../agents/gemini/gemini.ts";
import { createScrubber } from "../../redact/create-scrubber.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { findTranscriptByPath } from "../../store/memory/sessions/transcripts.ts";
import { findTurnContent, listTurns } from "../../store/memory/sessions/turns.ts";
import { sumSessionUsage } from "../../store/memory/sessions/usage.ts";
import type { StoredLine } from "../turn-content.ts";
import { ingestTranscript } from "./ingest.ts";

/** The memory of chats that their client rewrites, repeats and deletes. */

let tmp: string;
let made: ReturnType<typeof temporaryWork>;

beforeEach(() => {
  tmp = join(mkdtempSync(join(tmpdir(), "pommel-gemini-")), ".gemini", "tmp");
  made = temporaryWork({
    scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
  });
});
afterEach(() => {
  made.remove();
  rmSync(dirname(dirname(tmp)), { recursive: true, force: true });
});

const ingest = (file: string) =>
  ingestTranscript({ ...made.work, root: "/home/dev/shop", agent: gemini }, file);

function put(path: string, content: string): string {
  const file = join(tmp, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(join(tmp, "shop", ".project_root"), "/home/dev/shop");
  writeFileSync(file, content);
  return file;
}

/** Everything that is stored of conversations, whenever it was read. */
function remembered() {
  return ["sessions", "lines", "turns", "turn_files", "usage", "chunks"].map((table) => [
    table,
    made.rowsOf(table),
  ]);
}

function sampleChat(session = idOf("told")): ChatFixture {
  const c = chat({ session });
  c.begin();
  c.prompt("<hook_context>what Pommel said</hook_context>\n\nWhy does the flamingo lose its total?");
  c.reply("Let me look.", { thinking: "The total is computed twice." });
  c.edit("/home/dev/shop/src/cart.ts", "const a = 1;\n", "const a = 2;\n");
  c.shell("npm test", "1 failed", 1);
  c.reply("The heron was in the way.");
  return c;
}

function turns(uid: string) {
  const session = findSessionByUid(made.memory, uid)!;
  return listTurns(made.memory, session.id).map((turn) => ({
    ...turn,
    lines: unpackContent<StoredLine>(findTurnContent(made.memory, session.id, turn.number)!),
  }));
}

test("turns with their files, tools, cost and written lines", async () => {
  const c = sampleChat();
  expect(await ingest(c.writeTo(tmp))).toMatchObject({ session: c.session });
  const session = findSessionByUid(made.memory, c.session)!;
  expect(session).toMatchObject({ agent: "gemini", cwd: "/home/dev/shop", branch: null });
  expect(session.title).toMatch(/^Why does the flamingo/);
  const [turn] = turns(c.session);
  expect(turn).toMatchObject({
    prompt: "Why does the flamingo lose its total?",
    tools: { replace: 1, run_shell_command: 1 },
    files: [{ path: "src/cart.ts", how: "edit" }],
  });
  expect(sumSessionUsage(made.memory, session.id)).toMatchObject([
    { model: "gemini-2.5-pro", messages: 4, input: 3200, output: 220 },
  ]);
  expect(made.everything()).not.toContain("what Pommel said");
  expect(
    made
      .chunkTexts(session.id)
      .map(({ text }) => text)
      .join("\n"),
  ).toContain("The heron was in the way");
});

test("resumed and compressed, nothing is there twice; new messages are added", async () => {
  const c = sampleChat();
  await ingest(c.writeTo(tmp));
  const before = remembered().filter(([table]) => table !== "sessions");
  c.resume();
  c.resume({ sameMinute: true });
  expect(await ingest(c.writeTo(tmp))).toMatchObject({ lines: 0, chunks: 0 });
  expect(remembered().filter(([table]) => table !== "sessions")).toEqual(before);
  c.compress("It was the heron.");
  c.prompt("And the bittern?");
  expect(await ingest(c.writeTo(tmp))).toMatchObject({ lines: 2, compacted: true });
  expect(turns(c.session).map(({ prompt }) => prompt)).toEqual([
    "Why does the flamingo lose its total?",
    "And the bittern?",
  ]);
});

test("imported turns stay when the client rewrites the chat, deletes it, or begins another file", async () => {
  const c = sampleChat();
  const file = c.writeTo(tmp);
  await ingest(file);
  const before = turns(c.session);

  // In the same minute: the file holds less than it did.
  const less = chat({ session: c.session });
  less.begin();
  less.resume({ sameMinute: true });
  writeFileSync(file, less.text());
  expect(await ingest(file)).toMatchObject({ lines: 0 });
  expect(turns(c.session)).toEqual(before);

  // The whole file again, from its start: everything is stored already.
  c.prompt("What about the pelican?");
  writeFileSync(file, c.text());
  expect(await ingest(file)).toMatchObject({ lines: 1 });
  expect(turns(c.session)[0]).toEqual(before[0]);

  rmSync(file);
  await expect(ingest(file)).rejects.toMatchObject({ code: "ENOENT" });
  const stub = chat({ session: c.session, start: "2026-03-02T09:30:00.000Z" });
  stub.begin();
  expect(await ingest(stub.writeTo(tmp))).toMatchObject({ session: c.session, lines: 0 });
  stub.prompt("Where were we?");
  expect(await ingest(stub.writeTo(tmp))).toMatchObject({ lines: 1 });
  expect(turns(c.session).map(({ prompt }) => prompt)).toEqual([
    "Why does the flamingo lose its total?",
    "What about the pelican?",
    "Where were we?",
  ]);
});

test("an old chat is read as it grows, and again from the copy that a newer client makes", async () => {
  const c = chat({ session: idOf("old") });
  const file = join(tmp, c.path("json"));
  c.prompt("Why does the flamingo fail?");
  put(c.path("json"), c.object());
  expect(await ingest(file)).toMatchObject({ lines: 2 });
  c.edit("/home/dev/shop/src/cart.ts", "const a = 1;\n", "const a = 2;\n");
  put(c.path("json"), c.object());
  expect(await ingest(file)).toMatchObject({ lines: 3 });
  expect(findTranscriptByPath(made.memory, file)).toMatchObject({ offset: Buffer.byteLength(c.object()) });
  expect(await ingest(file)).toMatchObject({ lines: 0 });
  c.prompt("And now?");
  const copy = put(c.path("jsonl"), `${JSON.stringify(c.records[0])}\n`);
  const metadata = { ...JSON.parse(c.object()), messages: undefined };
  writeFileSync(copy, `${JSON.stringify(metadata)}\n${c.text()}`);
  expect(await ingest(copy)).toMatchObject({ lines: 1 });
  expect(turns(c.session).map(({ number }) => number)).toEqual([1, 2]);
});

test("turns that the human took back are left aside, not forgotten", async () => {
  const c = chat({ session: idOf("rewound") });
  c.begin();
  c.prompt("one");
  c.reply("first");
  const second = c.prompt("two");
  c.reply("second");
  await ingest(c.writeTo(tmp));
  c.rewind(second);
  c.prompt("three");
  await ingest(c.writeTo(tmp));
  expect(turns(c.session).map(({ prompt, abandoned }) => [prompt, abandoned])).toEqual([
    ["one", false],
    ["two", true],
    ["three", false],
  ]);
});

test("a subagent's chat is its session's child, in either order", async () => {
  const c = sampleChat();
  const child = chat({ session: idOf("child"), parent: c.session });
  child.begin();
  child.prompt("Count the flamingos");
  child.reply("There are seven.");
  await ingest(child.writeTo(tmp));
  c.tool("invoke_agent", { agent_name: "generalist", prompt: "Count" }, "seven", {
    more: { agentId: child.session },
  });
  await ingest(c.writeTo(tmp));
  await ingest(child.writeTo(tmp));
  const parent = findSessionByUid(made.memory, c.session)!;
  expect(findSessionByUid(made.memory, `${c.session}/${child.session}`)).toMatchObject({
    parentId: parent.id,
    agentType: "generalist",
    title: "Count the flamingos",
  });
});

test("secrets are scrubbed before they are stored, in diffs as well", async () => {
  const secret = `ghp_${"x1Y2".repeat(9)}`;
  const c = sampleChat();
  c.edit("/home/dev/shop/.env", "A=1\n", `TOKEN=${secret}\n`);
  c.shell("env", `TOKEN=${secret}`);
  await ingest(c.writeTo(tmp));
  expect(made.everything()).not.toContain(secret);
  expect(made.everything()).toContain("REDACTED");
});
