import { expect, it } from "vitest";
import { findNamedFile } from "../../agents/reading/call-input.ts";
import { applyEdit, takeBackEdit } from "./edit-input.ts";

it.each([
  [{ old_string: "b", new_string: "$&" }, "a$&b", null],
  [{ old_string: "b", new_string: "c", replace_all: true }, "acc", null],
  [
    {
      edits: [
        { oldString: "a", newString: "x" },
        { old_string: "xb", new_string: "y" },
      ],
    },
    "yb",
    "abb",
  ],
  [{ content: "all" }, "all", null],
  [{ old_string: "z", new_string: "c" }, null, null],
  [{ command: "ls" }, null, null],
  [{ edits: [7] }, null, null],
])("%j", (input, after, back) => {
  expect(applyEdit("abb", input)).toBe(after);
  if (back !== null) expect(takeBackEdit(after!, input)).toBe(back);
});

it("takes an edit back only where its place is known", () => {
  expect(takeBackEdit("one two", { old_string: "1", new_string: "one" })).toBe("1 two");
  expect(takeBackEdit("one one", { old_string: "1", new_string: "one" })).toBeNull();
  expect(takeBackEdit("all", { content: "all" })).toBeNull();
});

it("names the file that a call changes", () => {
  expect(findNamedFile({ file_path: "/a" })).toBe("/a");
  expect(findNamedFile({ command: "ls", file_path: 7 })).toBeNull();
});
