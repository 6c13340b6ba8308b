import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listTouches, parseChanges, parsePatch } from "./patch.ts";
import { listPatchFiles } from "./patch-files.ts";

const cwd = "/home/dev/shop";
const envelope = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch", ""].join("\n");

describe("a patch in its envelope", () => {
  it("adds, changes, moves and deletes files", () => {
    const files = parsePatch(
      envelope(
        "*** Add File: src/new.ts",
        "+export const a = 1;",
        "+",
        "*** Update File: src/old.ts",
        "*** Move to: src/moved.ts",
        "@@ class Cart",
        " total() {",
        "-  return 0;",
        "+  return 1;",
        "",
        " }",
        "@@",
        "-last",
        "+end",
        "*** End of File",
        "*** Delete File: /etc/gone.ts",
      ),
      cwd,
    );
    expect(files.map(({ path, how, moveTo }) => [path, how, moveTo])).toEqual([
      ["/home/dev/shop/src/new.ts", "add", null],
      ["/home/dev/shop/src/old.ts", "update", "/home/dev/shop/src/moved.ts"],
      ["/etc/gone.ts", "delete", null],
    ]);
    expect(files.map(({ edit }) => edit)).toEqual([
      { path: "/home/dev/shop/src/new.ts", hunks: [], content: "export const a = 1;\n\n" },
      {
        path: "/home/dev/shop/src/moved.ts",
        content: null,
        hunks: [
          {
            oldStart: 0,
            oldLines: 4,
            newStart: 0,
            newLines: 4,
            lines: [" total() {", "-  return 0;", "+  return 1;", " ", " }"],
          },
          { oldStart: 0, oldLines: 1, newStart: 0, newLines: 1, lines: ["-last", "+end"] },
        ],
      },
      { path: "/etc/gone.ts", hunks: [], content: null },
    ]);
    expect(listTouches(files)).toEqual([
      { path: "/home/dev/shop/src/new.ts", how: "write" },
      { path: "/home/dev/shop/src/old.ts", how: "edit" },
      { path: "/home/dev/shop/src/moved.ts", how: "write" },
      { path: "/etc/gone.ts", how: "edit" },
    ]);
  });

  it("names the files that exist after it", () => {
    const parts = ["Add File: a.ts", "Update File: b.ts", "Move to: lib/b 2.ts ", "Delete File: c.ts"];
    const text = ["Begin Patch", ...parts, "Update File: a.ts", "End Patch"].map((part) => `*** ${part}`);
    expect(listPatchFiles(text.join("\r\n"))).toEqual(["a.ts", "lib/b 2.ts"]);
    expect(listPatchFiles("*** Move to: d.ts\n+*** Add File: e.ts")).toEqual([]);
  });

  it("needs its beginning, but not its end", () => {
    expect(parsePatch("*** Add File: a\n+x\n", cwd)).toEqual([]);
    expect(parsePatch("*** Begin Patch\n*** Add File: a\n+x", null)).toEqual([
      { path: "a", how: "add", moveTo: null, edit: { path: "a", hunks: [], content: "x\n" } },
    ]);
  });

  const line = fc.string({ maxLength: 12 }).filter((text) => !/[\r\n]/.test(text));
  const path = fc.stringMatching(/^[a-z]{1,8}\/[a-z]{1,8}\.ts$/);
  const sign = fc.constantFrom(" ", "+", "-");
  const hunk = fc.array(fc.tuple(sign, line), { minLength: 1, maxLength: 6 });
  const file = fc.oneof(
    fc.record({ how: fc.constant("add" as const), path, lines: fc.array(line, { maxLength: 6 }) }),
    fc.record({
      how: fc.constant("update" as const),
      path,
      hunks: fc.array(hunk, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ how: fc.constant("delete" as const), path }),
  );

  it("preserves every line, and adds none", () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 5 }), (wanted) => {
        const lines = wanted.flatMap((one) => {
          if (one.how === "add") return [`*** Add File: ${one.path}`, ...one.lines.map((text) => `+${text}`)];
          if (one.how === "delete") return [`*** Delete File: ${one.path}`];
          const hunks = one.hunks.flatMap((each) => ["@@", ...each.map(([mark, text]) => `${mark}${text}`)]);
          return [`*** Update File: ${one.path}`, ...hunks];
        });
        const found = parsePatch(envelope(...lines), null);
        expect(found.map(({ path: at, how }) => [at, how])).toEqual(wanted.map((one) => [one.path, one.how]));
        found.forEach(({ edit }, i) => {
          const one = wanted[i]!;
          if (one.how === "add") expect(edit.content).toBe(one.lines.map((text) => `${text}\n`).join(""));
          else expect(edit.content).toBeNull();
          const hunks = one.how === "update" ? one.hunks : [];
          expect(edit.hunks.map((each) => each.lines)).toEqual(
            hunks.map((each) => each.map(([mark, text]) => `${mark}${text}`)),
          );
        });
      }),
    );
  });

  it("never throws", () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "*** Begin Patch",
        "*** Add File: a",
        "*** Update File: b",
        "@@",
        "+x",
        "*** Move to: c",
        "*** End Patch",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.option(fc.string()), (lines, dir) => {
        for (const { edit } of parsePatch(lines.join("\n"), dir)) expect(typeof edit.path).toBe("string");
      }),
    );
  });
});

describe("the client's list of changes", () => {
  it("has positioned hunks, whole new files, and the content of deleted ones", () => {
    const files = parseChanges(
      {
        "/home/dev/shop/a.ts": {
          type: "update",
          unified_diff:
            "@@ -3 +3,2 @@\n }\n+x\n@@ -9,2 +10,0 @@ class B\n-y\n-z\n\\ No newline at end of file\n",
          move_path: "/home/dev/shop/b.ts",
        },
        "c.ts": { type: "add", content: "1\n" },
        "d.ts": { type: "delete", content: "1\n2\n" },
        "e.ts": { type: "mystery" },
        "f.ts": 7,
      },
      cwd,
    );
    expect(files.map(({ edit }) => edit)).toEqual([
      {
        path: "/home/dev/shop/b.ts",
        content: null,
        hunks: [
          { oldStart: 3, oldLines: 1, newStart: 3, newLines: 2, lines: [" }", "+x"] },
          {
            oldStart: 9,
            oldLines: 2,
            newStart: 10,
            newLines: 0,
            lines: ["-y", "-z"],
          },
        ],
      },
      { path: "/home/dev/shop/c.ts", content: "1\n", hunks: [] },
      {
        path: "/home/dev/shop/d.ts",
        content: null,
        hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 0, lines: ["-1", "-2"] }],
      },
    ]);
  });
});
