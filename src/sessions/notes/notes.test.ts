import { afterEach, beforeEach, expect, it, test } from "vitest";
import { addSession, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { saveNote } from "../../store/memory/chunks/notes.ts";
import { createReplacementLookup } from "../decisions/stored.ts";
import { createRejectionLookup, formatRejection, makeNoteUid } from "./notes.ts";

test("a note's uid depends on session, words and number of earlier equal notes", () => {
  const uid = makeNoteUid("s1", "use Redis", 0);
  expect(uid).toMatch(/^[0-9a-f]{32}$/);
  expect(makeNoteUid("s1", "use Redis", 0)).toBe(uid);
  const others = [
    makeNoteUid("s2", "use Redis", 0),
    makeNoteUid("s1", "use Redis.", 0),
    makeNoteUid("s1", "use Redis", 1),
  ];
  expect(new Set([uid, ...others]).size).toBe(4);
});

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

let at = 0;
function note(text: string, sessionUid: string | null, author: string | null = null) {
  at++;
  const place = { turn: null, lineUid: null, branch: null, source: "shell" as const };
  saveNote(store.memory, { uid: `n${at}`, note: text, sessionUid, author, at, ...place });
}

it("a note that rejects a session is known of it, the latest first", () => {
  addSession(store.memory, "a");
  note("rejected ideas are listed in the wiki", "a");
  expect(createRejectionLookup(store.memory)("a")).toBeNull();
  note(formatRejection("it is slow", null), "a");
  note(formatRejection("it blocks the event loop", null), "a");
  note(formatRejection("nobody knows what", null), null);
  note(formatRejection("a colleague dislikes it", null), "a", "bob");
  expect(createRejectionLookup(store.memory)("a")).toBe("it blocks the event loop");
  expect(createRejectionLookup(store.memory)("b")).toBeNull();
});

it("a decision that is rejected is superseded by the note, and its session is not", () => {
  const text = formatRejection("it drains the battery", "We poll every second.");
  note(text, "a");
  expect(
    createReplacementLookup(store.memory)({ text: "we poll every second", by: "person", at: 0 }),
  ).toMatchObject({
    text,
  });
  expect(createRejectionLookup(store.memory)("a")).toBeNull();
});
