import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { addSession, temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { saveAnnotation } from "../../store/memory/chunks/annotations.ts";
import { replacements } from "../decisions/stored.ts";
import { annotationUid, maxNoteLength, notesIn, rejectedSessions, rejectionText } from "./notes.ts";

describe("notes in a prompt", () => {
  test.each([
    ["Note to Pommel: use Redis", ["use Redis"]],
    ["please do it. note to pommel:   use Redis  \nand go on", ["use Redis"]],
    ["NOTE TO POMMEL: a\n- Note to Pommel: b\n  * note to Pommel：c", ["a", "b", "c"]],
    ["```\nNote to Pommel: in a fence\n```", ["in a fence"]],
    ["**Note to Pommel:** bold", ["bold"]],
    ["**Note to Pommel**: bold", ["bold"]],
    ["Note to Pommel: *never* log tokens", ["*never* log tokens"]],
    ["Note to Pommel: mind the colon: it stays", ["mind the colon: it stays"]],
    ["Note to Pommel: windows\r\nnext", ["windows"]],
    ["> Note to Pommel: quoted", ["quoted"]],
    ["Note to Pommel:\nnothing on its line", []],
    ["Note to Pommel:   ", []],
    ["a footnote to Pommel: is none", []],
    ["Note to Pommel without a colon", []],
    ["", []],
  ])("%j", (prompt, notes) => {
    expect(notesIn(prompt)).toEqual(notes);
  });

  test("are bounded, and never end in half a character", () => {
    expect(notesIn(`Note to Pommel: ${"x".repeat(5_000)}`)[0]).toHaveLength(maxNoteLength);
    const [note = ""] = notesIn(`Note to Pommel: x${"😀".repeat(2_000)}`);
    expect(Buffer.from(note).toString()).toBe(note);
  });

  test("are found anywhere in a prompt", () => {
    const line = fc.string({ unit: "grapheme" }).map((text) => text.replace(/[\r\n\u2028\u2029]/g, " "));
    fc.assert(
      fc.property(line, line, line, (before, note, after) => {
        fc.pre(!/pommel/i.test(before + note + after) && !/^\s*[*_]/.test(note));
        const found = notesIn(`${before} \nNote to Pommel: ${note}\n${after}`);
        expect(found).toEqual(note.trim() === "" ? [] : [note.trim()]);
      }),
    );
  });
});

test("a note's uid depends on session, words and number of earlier equal notes", () => {
  const uid = annotationUid("s1", "use Redis", 0);
  expect(uid).toMatch(/^[0-9a-f]{32}$/);
  expect(annotationUid("s1", "use Redis", 0)).toBe(uid);
  const others = [
    annotationUid("s2", "use Redis", 0),
    annotationUid("s1", "use Redis.", 0),
    annotationUid("s1", "use Redis", 1),
  ];
  expect(new Set([uid, ...others]).size).toBe(4);
});

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

let at = 0;
function note(text: string, sessionUid: string | null) {
  at++;
  const place = { turn: null, lineUid: null, branch: null, source: "shell" as const };
  saveAnnotation(store.memory, { uid: `n${at}`, note: text, sessionUid, at, ...place });
}

it("a note that rejects a session is known of it, the latest first", () => {
  addSession(store.memory, "a");
  note("rejected ideas are listed in the wiki", "a");
  expect(rejectedSessions(store.memory)("a")).toBeNull();
  note(rejectionText("it is slow", null), "a");
  note(rejectionText("it blocks the event loop", null), "a");
  note(rejectionText("nobody knows what", null), null);
  expect(rejectedSessions(store.memory)("a")).toBe("it blocks the event loop");
  expect(rejectedSessions(store.memory)("b")).toBeNull();
});

it("a decision that is rejected is superseded by the note, and its session is not", () => {
  const text = rejectionText("it drains the battery", "We poll every second.");
  note(text, "a");
  expect(replacements(store.memory)("we poll every second", 0)).toMatchObject({ text });
  expect(rejectedSessions(store.memory)("a")).toBeNull();
});
