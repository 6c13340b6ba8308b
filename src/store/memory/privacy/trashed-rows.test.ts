import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryWork } from "../../../../test/support/memory-work-fixture.ts";
import { runs } from "../../../../test/support/runs.ts";
import { edited, pause, prompt, summary, text } from "../../../../test/support/turn-fixture.ts";
import { forgetNow } from "../../../sessions/forget/forget.ts";
import { addNote } from "../../../sessions/notes/add-note.ts";
import { chunkNotes } from "../../../sessions/notes/chunk-notes.ts";
import { recutSessions } from "../../../sessions/recut.ts";
import { sumUpSession } from "../../../sessions/summaries/sum-up.ts";
import { listTrash, locateRowsFile, locateTrash, type TrashEntry } from "../../trash/trash.ts";
import { listStoredNotes } from "../chunks/notes.ts";
import { saveCheckpoint } from "../commits/checkpoints.ts";
import { saveCommit } from "../commits/commits.ts";
import { isForgotten } from "./forget.ts";
import { bringBackRows } from "./trashed-rows.ts";

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => {
  stage.remove();
  rmSync(locateTrash(), { recursive: true, force: true });
});

const more = "More was said about the parser and its tokens. ".repeat(20);

async function twoSessions() {
  for (const uid of ["one", "two"]) {
    await stage.store(
      uid,
      prompt(`How does the parser of ${uid} read a flag? ${more}`),
      text(`It looks it up. ${more}`),
      pause(10),
      prompt(`Now write it\nNote to Pommel: remember ${uid}`),
      edited("/repo/src/a.ts", "old", "new"),
      text(`We decided to use a table. ${more}`),
      pause(10),
      prompt("Moving on to the docs"),
      summary("Summary:\nThe parser was read, and a table was decided on."),
      text(`Written. ${more}`),
    );
    await sumUpSession({ ...stage.work, llm: null }, uid);
  }
  await addNote(stage.work, { by: "person", note: "a note from a shell" });
  const { memory } = stage;
  const commit = saveCommit(
    memory,
    {
      hash: "c".repeat(40),
      tree: "t",
      parents: [],
      branch: null,
      author: "a",
      subject: "s",
      authoredAt: 1,
      committedAt: 1,
      patchId: null,
      rewrittenFrom: [],
      insertions: 1,
      deletions: 0,
      seen: "hook",
      attributed: 1,
    },
    [],
  );
  saveCheckpoint(memory, {
    uid: "check",
    commitId: commit.id,
    parentUid: null,
    agentState: {},
    createdAt: 1,
    sessions: [{ sessionUid: "one", turns: [2], lines: 1, how: "lines", confidence: 1 }],
  });
}

/** Everything that people wrote or did; ids and derived rows aside. */
function content() {
  const { memory } = stage;
  const all = (sql: string) => memory.all(sql);
  return {
    sessions: all("SELECT uid, agent, parent_id, title, cwd, started_at, last_at FROM sessions ORDER BY uid"),
    turns: all(
      "SELECT s.uid, number, t.started_at, prompt, hex(content) AS content FROM turns t JOIN sessions s ON s.id = t.session_id ORDER BY s.uid, number",
    ),
    files: all(
      "SELECT path, how, number FROM turn_files f JOIN turns t ON t.id = f.turn_id ORDER BY t.id, path",
    ),
    lines: all("SELECT uid, seq, turn FROM lines ORDER BY uid"),
    notes: all("SELECT uid, session_uid, turn, note FROM annotations ORDER BY uid"),
    bound: all("SELECT checkpoint_uid, session_uid, turns, lines FROM checkpoint_sessions ORDER BY 1, 2"),
    forgotten: all("SELECT uid FROM forgotten ORDER BY uid"),
    refused: all("SELECT uid FROM sync_refused ORDER BY uid"),
    chunks: all("SELECT type, text FROM chunks ORDER BY text"),
    summaries: all("SELECT source, up_to_turn, text FROM summaries ORDER BY text"),
  };
}

async function undo(entry: TrashEntry | null): Promise<void> {
  const only = bringBackRows(stage.memory, entry!);
  await recutSessions(stage.work, { only });
  await chunkNotes(stage.work);
}

describe("what was forgotten", () => {
  it.each([
    ["a session", { session: "one" }],
    ["a turn", { turn: "one:2" }],
    ["a time", { until: "2100-01-01" }],
  ])("comes back as it was: %s", async (_, asked) => {
    await twoSessions();
    const before = content();
    const { trash } = await forgetNow(stage.work, asked);
    expect(content()).not.toEqual(before);
    expect(listTrash()).toHaveLength(1);
    await undo(trash);
    expect(content()).toEqual(before);
    expect(listTrash()).toEqual([]);
  });

  it("comes back as it was: a note from a shell, which is found again", async () => {
    await twoSessions();
    const before = content();
    const note = listStoredNotes(stage.memory).find(({ sessionUid }) => sessionUid === null)!;
    const { trash } = await forgetNow(stage.work, { annotation: note.uid });
    expect(isForgotten(stage.memory, note.uid)).toBe(true);
    await undo(trash);
    expect(content()).toEqual(before);
  });

  it("is private in the trash, and not there when it is for good", async () => {
    await twoSessions();
    const { trash } = await forgetNow(stage.work, { turn: "two:1" });
    expect(readFileSync(locateRowsFile(trash!), "utf8")).toContain("parser of two");
    expect([trash!.dir, locateRowsFile(trash!)].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o700, 0o600,
    ]);
    const { trash: none } = await forgetNow(stage.work, { session: "one" }, { forGood: true });
    expect(none).toBeNull();
    // It may have held the same words.
    expect(existsSync(trash!.dir)).toBe(false);
    await forgetNow(stage.work, { session: "two" });
    await forgetNow(stage.work, { pattern: "shell" });
    expect(listTrash()).toEqual([]);
  });

  it("comes back to a memory that went on, whose own changes stay", async () => {
    await twoSessions();
    const { trash } = await forgetNow(stage.work, { turn: "one:1" });
    await addNote(stage.work, { by: "person", note: "noted since", sessionUid: "one" });
    stage.memory.change("UPDATE sessions SET title = 'mine', title_source = 'user' WHERE uid = 'one'");
    await undo(trash);
    const { sessions, notes, turns } = content();
    expect(notes).toContainEqual(expect.objectContaining({ note: "noted since" }));
    expect(sessions).toContainEqual(expect.objectContaining({ uid: "one", title: "mine" }));
    expect(turns).toHaveLength(6);
  });

  it("is not mixed into another memory, nor brought back twice", async () => {
    await twoSessions();
    const { trash } = await forgetNow(stage.work, { session: "one" });
    const other = temporaryWork();
    expect(() => bringBackRows(other.memory, trash!)).toThrow(expect.objectContaining({ code: "not_found" }));
    other.remove();
    expect(listTrash()).toHaveLength(1);
    // As after a kill between the commit and the end.
    stage.memory.setMeta(`in_trash ${trash!.number} ${trash!.at}`, "back");
    const before = content();
    await undo(trash);
    expect(content()).toEqual(before);
    expect(listTrash()).toEqual([]);
  });

  it("comes back in any order, or says what is to be undone first", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(["turn", "session", "other"] as const, { minLength: 2 }),
        fc.array(fc.nat(2), { minLength: 6, maxLength: 6 }),
        async (steps, picks) => {
          stage.remove();
          stage = temporaryWork();
          rmSync(locateTrash(), { recursive: true, force: true });
          await twoSessions();
          const before = content();
          const asked = { turn: { turn: "one:2" }, session: { session: "one" }, other: { turn: "two:3" } };
          for (const step of steps) {
            if (
              step === "turn" &&
              steps.indexOf("session") < steps.indexOf("turn") &&
              steps.includes("session")
            )
              continue;
            await forgetNow(stage.work, asked[step]);
          }
          for (const pick of [...picks, 0, 0, 0]) {
            const left = listTrash();
            const entry = left[Math.min(pick, left.length - 1)];
            if (entry === undefined) break;
            await undo(entry).catch((error) => expect(error).toMatchObject({ code: "not_found" }));
          }
          expect(listTrash()).toEqual([]);
          expect(content()).toEqual(before);
        },
      ),
      { numRuns: runs(12) },
    );
  });

  it("leaves no entry where nothing was forgotten", async () => {
    await twoSessions();
    stage.memory.exec(
      "CREATE TEMP TRIGGER refuse BEFORE DELETE ON main.sessions BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    const before = content();
    await expect(forgetNow(stage.work, { session: "one" })).rejects.toThrow("full");
    expect(content()).toEqual(before);
    expect(listTrash()).toEqual([]);
  });
});
