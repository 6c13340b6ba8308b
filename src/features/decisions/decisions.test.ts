import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, chunk, deciding, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { makeNewProject } from "../../base/paths.ts";
import type { NoteSource } from "../../protocol/origin.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { saveNote } from "../../store/memory/chunks/notes.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { findDecisions } from "./decisions.ts";
import type { DecisionsRequest } from "./operation.ts";

const day = 86_400_000;
const start = Date.parse("2026-03-01T10:00:00Z");

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
  const { id } = addSession(store.memory, "abc", { title: { text: "Storage", source: "agent" } });
  const file = { path: "src/db.ts", how: "edit" as const };
  saveTurn(store.memory, id, turn(1, { startedAt: start + day, files: [file] }));
  const decided =
    "[USER] Where to?\n[TOOL_USE] Read a.ts\n[ASSISTANT] I looked. We decided to use SQLite. It is small.";
  replaceChunks(store.memory, id, { type: "raw", from: 0 }, [
    chunk(0, decided, {
      ...deciding("We decided to use SQLite."),
      startedAt: start + day,
      files: [file.path],
    }),
    chunk(1, "[ASSISTANT] Edited the palette.", { kind: "code-change", startedAt: start + 9 * day }),
    chunk(2, "[USER] Let's go with tabs instead of spaces in the formatter", {
      ...deciding("Let's go with tabs instead of spaces in the formatter", 3),
      startedAt: start + 3 * day,
    }),
    chunk(3, "[USER] Let's drop it", {
      ...deciding("Let's drop it", 4),
      startedAt: start + 4 * day,
      abandoned: true,
    }),
  ]);
  const place = { lineUid: null, branch: null };
  saveNote(store.memory, {
    ...place,
    uid: "n1",
    note: "SQLite, not files",
    at: start + 2 * day,
    sessionUid: "abc",
    turn: 1,
    source: "prompt",
  });
  saveNote(store.memory, {
    ...place,
    uid: "n2",
    note: "Released",
    at: start,
    sessionUid: null,
    turn: null,
    source: "shell",
  });
});
afterEach(() => store.remove());

function decisions(request: DecisionsRequest = {}) {
  return findDecisions(makeNewProject(store.dir), store.memory, request, makeDefaultConfig());
}

const texts = async (request?: DecisionsRequest) =>
  (await decisions(request)).decisions.map(({ text }) => text);

it("lists notes and the sentences that decide, the latest first, without ways that were left", async () => {
  expect(await texts()).toEqual([
    "Let's go with tabs instead of spaces in the formatter",
    "SQLite, not files",
    "We decided to use SQLite.",
    "Released",
  ]);
  expect((await decisions()).decisions[2]).toMatchObject({
    source: "conversation",
    session_id: "abc",
    session_title: "Storage",
    turn: 1,
    timestamp: "2026-03-02T10:00:00.000Z",
    files: ["src/db.ts"],
    score: null,
  });
});

it("limits them by time, files and number, and says how many there are", async () => {
  expect(await texts({ since: "2026-03-03", until: "2026-03-03" })).toEqual(["SQLite, not files"]);
  expect(await texts({ file: ["src"] })).toEqual(["SQLite, not files", "We decided to use SQLite."]);
  expect(await decisions({ limit: 1 })).toMatchObject({ decisions: [{ turn: 3 }], total: 4 });
  await expect(decisions({ since: "whenever" })).rejects.toMatchObject({ code: "usage" });
});

it("finds those that a query is about, notes first", async () => {
  expect(await texts({ q: "sqlite" })).toEqual(["SQLite, not files", "We decided to use SQLite."]);
  const { decisions: found } = await decisions({ q: "sqlite" });
  expect(found[0]!.score).toBeGreaterThan(found[1]!.score!);
});

it("finds none that only stands beside what a query is about", async () => {
  const { id } = addSession(store.memory, "ghi");
  const said = "[USER] the palette of the terminal is wrong\n[USER] We decided to use ULIDs for keys.";
  const made = { ...deciding("We decided to use ULIDs for keys."), session: "ghi" };
  replaceChunks(store.memory, id, { type: "raw", from: 0 }, [chunk(0, said, made)]);
  expect(await texts({ q: "palette terminal" })).toEqual([]);
  expect(await texts({ q: "ULIDs keys" })).toEqual(["We decided to use ULIDs for keys."]);
});

it("finds them by all their words, whatever their endings, those with more of the question first", async () => {
  const { id } = addSession(store.memory, "jkl");
  const said = [
    "Which installation method do you want for your Homebrew formula? → Pre-built binaries",
    "Should we add file locking to StateStore? → Include it (flock-based), not Separate issue",
    "Where should the E2E tests live? → in e2e_test",
  ];
  replaceChunks(
    store.memory,
    id,
    { type: "raw", from: 0 },
    said.map((text, i) => chunk(i, `[USER] ${i}`, { ...deciding(text, i + 1), session: "jkl" })),
  );
  expect(await texts({ q: "homebrew formulas" })).toEqual([said[0]]);
  expect(await texts({ q: "installation method homebrew formula" })).toEqual([said[0]]);
  expect(await texts({ q: "file locks" })).toEqual([said[1]]);
  expect(await texts({ q: "state store" })).toEqual([said[1]]);
  expect(await texts({ q: "tests" })).toEqual([said[2]]);
  expect(await texts({ q: "telemetry opt-out" })).toEqual([]);
});

it("limits them to a branch, with a query and without", async () => {
  const about = { sessionUid: "abc", lineUid: null, turn: 1, source: "prompt" as const, at: start };
  saveNote(store.memory, { ...about, uid: "n3", note: "SQLite moves on", branch: "topic" });
  const { id } = addSession(store.memory, "def");
  replaceChunks(store.memory, id, { type: "raw", from: 0 }, [
    chunk(0, "[USER] We decided to keep SQLite.", {
      ...deciding("We decided to keep SQLite."),
      uid: "kept",
      branch: "topic",
    }),
  ]);
  const found = ["SQLite moves on", "We decided to keep SQLite."];
  expect((await texts({ branch: "topic" })).sort()).toEqual(found);
  expect((await texts({ branch: "topic", q: "sqlite" })).sort()).toEqual(found);
  expect(await texts({ branch: "elsewhere" })).toEqual([]);
});

it("leaves out notes on lines, unless they are asked for by their words", async () => {
  const place = { lineUid: null, branch: null, path: "src/db.ts", firstLine: 3, lastLine: 3 };
  const note = "Keep this in step with the worker";
  saveNote(store.memory, {
    ...place,
    uid: "n3",
    note,
    at: start,
    sessionUid: null,
    turn: null,
    source: "shell",
  });
  expect(await texts()).not.toContain(note);
  expect(await texts({ q: "in step with the worker" })).toContain(note);
});

it("a later note that quotes a decision replaces it; an earlier one does not", async () => {
  const [, quoted = ""] = await texts({ q: "", file: ["src/db.ts"] });
  expect(quoted).toContain("SQLite");
  const replacing = (at: number, whose: { source?: NoteSource; author?: string } = {}) => ({
    lineUid: null,
    branch: null,
    sessionUid: null,
    turn: null,
    source: "shell" as const,
    at,
    ...whose,
    uid: `r${at}`,
    note: `Instead of “${quoted}”: we use Postgres, as two machines write`,
  });
  const supersededBy = async () =>
    (await decisions()).decisions.find(({ text }) => text === quoted)?.superseded_by ?? null;
  saveNote(store.memory, replacing(start));
  expect(await supersededBy()).toBeNull();
  // What an agent or a colleague notes leaves a person's words as they are, and says nothing else.
  saveNote(store.memory, replacing(start + 30 * day, { source: "agent" }));
  saveNote(store.memory, replacing(start + 31 * day, { author: "ann" }));
  expect(await supersededBy()).toBeNull();
  expect((await decisions()).decisions.slice(0, 2).map(({ supersedes }) => supersedes)).toEqual([[], []]);
  saveNote(store.memory, replacing(start + 20 * day));
  expect(await supersededBy()).toContain("Postgres");
  const [, , replaced] = (await decisions()).decisions;
  expect(replaced).toMatchObject({ source: "annotation", supersedes: [quoted] });
});
