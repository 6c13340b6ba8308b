import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { addNote } from "../../sessions/notes/add-note.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { findNoteByUid, noPlace } from "../../store/memory/chunks/notes.ts";
import { exportNote } from "./from-memory.ts";
import { noteShape, type SharedNote } from "./records.ts";
import { importNote } from "./to-memory.ts";

type Stage = ReturnType<typeof temporaryWork>;

let mine: Stage;
let colleagues: Stage;
beforeEach(() => {
  [mine, colleagues] = [temporaryWork(), temporaryWork()];
});
afterEach(() => {
  mine.remove();
  colleagues.remove();
});

const exporting = (work: ScrubbingWork) => ({ work, filter: true, me: "ann" });

it("takes a note of an older Pommel, which says of no lines", async () => {
  const { uid } = await addNote(colleagues.work, { by: "person", note: "Released", branch: "main" });
  const later = ["path", "first_line", "last_line", "head_commit", "line_keys", "keys_from", "is_repeated"];
  const record = exportNote(exporting(colleagues.work), uid)!;
  expect(Object.keys(record)).toEqual(expect.arrayContaining(later));
  const older = Object.fromEntries(Object.entries(record).filter(([name]) => !later.includes(name)));
  await importNote(exporting(mine.work), noteShape.parse(older) as SharedNote);
  expect(findNoteByUid(mine.memory, uid)).toMatchObject({ note: "Released", branch: "main", ...noPlace });
});
