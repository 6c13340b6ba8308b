import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { annotationUid, maxNoteLength, notesIn } from "./notes.ts";

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
