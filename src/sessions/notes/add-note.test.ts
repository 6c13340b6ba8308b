import { afterEach, beforeEach, expect, it } from "vitest";
import { fakeScrubber, temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { prompt, text } from "../../../test/support/turn-fixture.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { findSessionByUid, listSessions } from "../../store/memory/sessions/sessions.ts";
import { addNote, editNote } from "./add-note.ts";
import { notesSession } from "./notes-session.ts";

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork({ scrubber: fakeScrubber("rules", /hush\d/g) });
});
afterEach(() => stage.remove());

it("stores a note without a session, in none of the lists", async () => {
  const note = await addNote(stage.work, {
    by: "person",
    note: "  v2 shipped with hush1\nand hush2 ",
    branch: "main",
    at: 5,
  });
  expect(note).toMatchObject({
    note: "v2 shipped with [REDACTED_WORD]\nand [REDACTED_WORD_2]",
    sessionUid: null,
    turn: null,
    lineUid: null,
    at: 5,
    source: "shell",
    branch: "main",
  });
  const session = findSessionByUid(stage.memory, notesSession.uid)!;
  expect(session.agent).toBe("pommel");
  expect(stage.chunkTexts(session.id)).toMatchObject([
    { type: "annotated", text: `[NOTE] ${note.note}`, uid: `notes:annotated:${note.id}` },
  ]);
  expect(listSessions(stage.memory, { remembered: true })).toEqual([]);
  const again = await addNote(stage.work, { by: "person", note: "hush2 alone" });
  expect(again.note).toBe("[REDACTED_WORD_2] alone");
  expect(stage.everything()).not.toMatch(/hush\d/);
});

it("binds a note to a session, with everything until", async () => {
  const { id } = await stage.store(
    "s",
    prompt("Why is the build slow?"),
    text("It compiles the kernel twice."),
    prompt("Then compile it once"),
    text("Now it compiles it once."),
  );
  const note = await addNote(stage.work, { by: "person", note: "build halved", sessionUid: "s" });
  expect(note).toMatchObject({ sessionUid: "s", turn: 2 });
  const chunk = stage.chunkTexts(id).find(({ type }) => type === "annotated");
  expect(chunk?.text).toMatch(/^\[NOTE\] build halved\n\n[\s\S]*compiles it once/);
});

it("accepts the name of a session that is not stored yet", async () => {
  const note = await addNote(stage.work, { by: "person", note: "early", sessionUid: "to-come" });
  expect(note.sessionUid).toBe("to-come");
  const { id } = await stage.store("to-come", prompt("here it is"), text("ok"));
  expect(findSessionByUid(stage.memory, "to-come")).toMatchObject({ id, agent: "claude" });
  expect(listStoredNotes(stage.memory, { sessionUid: "to-come" })).toHaveLength(1);
  expect(stage.chunkTexts(id).map(({ type }) => type)).toEqual(["annotated", "raw"]);
});

it("refuses a note of nothing", async () => {
  await expect(addNote(stage.work, { by: "person", note: " \n" })).rejects.toMatchObject({ code: "usage" });
});

it("edits a note in its place, and forgets the old words", async () => {
  await stage.store("s", prompt("Why is the build slow?"), text("It is."), prompt("Go on"), text("Done."));
  const old = await addNote(stage.work, {
    by: "person",
    note: "bild halfed",
    sessionUid: "s",
    turn: 1,
    branch: "main",
    at: 7,
  });
  const edited = await editNote(stage.work, old, "build halved, hush1");
  expect(edited).toMatchObject({
    note: "build halved, [REDACTED_WORD]",
    sessionUid: "s",
    turn: 1,
    branch: "main",
    at: 7,
  });
  expect(listStoredNotes(stage.memory).map(({ note }) => note)).toEqual([edited.note]);
  expect(stage.everything()).not.toMatch(/bild halfed|hush\d/);
  await expect(editNote(stage.work, edited, " ")).rejects.toMatchObject({ code: "usage" });
  expect(listStoredNotes(stage.memory)).toHaveLength(1);
});
