import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeNewProject } from "../base/paths.ts";
import { locate, parseLines, parsePlace } from "./file-place.ts";

describe("a place in a file", () => {
  it.each([
    ["src/a.ts", "src/a.ts", null],
    ["src/a.ts:12", "src/a.ts", [12, 12]],
    ["src/a.ts:12-20", "src/a.ts", [12, 20]],
    ["src/a.ts:12,20", "src/a.ts", [12, 20]],
    ["src/a.ts:20-12", "src/a.ts", [12, 20]],
    ["src/a.ts:12:5", "src/a.ts", [12, 12]],
    ["src/a.ts#L12", "src/a.ts", [12, 12]],
    ["src/a.ts#L12-L20", "src/a.ts", [12, 20]],
    ["src/a.ts#L12-20", "src/a.ts", [12, 20]],
    ["C:\\src\\a.ts:7", "C:\\src\\a.ts", [7, 7]],
    ["C:\\src\\a.ts", "C:\\src\\a.ts", null],
    ["a:b:3", "a:b", [3, 3]],
    ["odd\nname.ts:3", "odd\nname.ts", [3, 3]],
    ["a.ts:", "a.ts:", null],
    [":12", ":12", null],
  ])("%j is %j, lines %j", (text, file, lines) => {
    const [first, last] = lines ?? [];
    expect(parsePlace(text)).toEqual({ file, lines: lines && { first, last } });
  });

  it("is a file's name where a file is called so", () => {
    const isFile = (name: string) => name === "notes:12";
    expect(parsePlace("notes:12", isFile)).toEqual({ file: "notes:12", lines: null });
    expect(parsePlace("notes:12:3", isFile)).toEqual({ file: "notes:12", lines: { first: 3, last: 3 } });
  });

  it("has lines from 1", () => {
    expect(() => parsePlace("a.ts:0")).toThrow("is not a line");
  });

  it("is what was written, whatever the file is called", () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !/[:#]/.test(text));
    const line = fc.integer({ min: 1, max: 1e9 });
    fc.assert(
      fc.property(name, line, line, (file, a, b) => {
        const lines = { first: Math.min(a, b), last: Math.max(a, b) };
        for (const text of [`${file}:${a}-${b}`, `${file}:${a},${b}`, `${file}#L${a}-L${b}`]) {
          expect(parsePlace(text)).toEqual({ file, lines });
        }
      }),
    );
  });
});

describe("a range of lines", () => {
  it.each([
    ["12", 12, 12],
    ["12,20", 12, 20],
    ["20,12", 12, 20],
    ["12-20", 12, 20],
    ["12,+9", 12, 20],
    ["12,", 12, Number.POSITIVE_INFINITY],
    [",20", 1, 20],
  ])("%j is %d to %d", (text, first, last) => {
    expect(parseLines(text)).toEqual({ first, last });
  });

  it.each(["", ",", "a,b", "/re/,20", ":main", "0,5", "1,2,3", "-", "5,+", "99999999999999999999"])(
    "%j is none",
    (text) => {
      expect(() => parseLines(text)).toThrow(expect.objectContaining({ code: "usage" }));
    },
  );
});

describe("a file of the project", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pommel-place-")));
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "pommel-outside-")));
  const project = makeNewProject(root);
  mkdirSync(join(root, "src/deep"), { recursive: true });
  for (const path of ["top.ts", "src/a.ts", "src/deep/top.ts"]) writeFileSync(join(root, path), "");
  symlinkSync(root, join(outside, "link"));
  symlinkSync("top.ts", join(root, "linked.ts"));

  it.each([
    [".", "src/a.ts", "src/a.ts"],
    ["src", "a.ts", "src/a.ts"],
    ["src", "./a.ts", "src/a.ts"],
    ["src", "src/a.ts", "src/a.ts"],
    ["src", "../top.ts", "top.ts"],
    ["src/deep", "top.ts", "src/deep/top.ts"],
    ["src", "gone.ts", "src/gone.ts"],
    ["src", "gone/far.ts", "src/gone/far.ts"],
    [".", "linked.ts", "linked.ts"],
    [".", "..odd.ts", "..odd.ts"],
  ])("from %s, %s is %s", (cwd, named, path) => {
    expect(locate(project, join(root, cwd), named)).toBe(path);
  });

  it("is found through links to the project, though it is gone", () => {
    expect(locate(project, join(outside, "link/src"), "a.ts")).toBe("src/a.ts");
    expect(locate(project, join(outside, "link"), "gone/far.ts")).toBe("gone/far.ts");
    expect(locate(project, root, join(outside, "link/src/a.ts"))).toBe("src/a.ts");
  });

  it("may have a name that no file can have", () => {
    const long = "x".repeat(300);
    expect(locate(project, root, long)).toBe(long);
    expect(locate(project, root, "top.ts/a.ts")).toBe("top.ts/a.ts");
  });

  it("is no directory, and nothing outside", () => {
    expect(() => locate(project, root, "src")).toThrow("src is a directory");
    expect(() => locate(project, join(root, "src"), "..")).toThrow(".. is a directory");
    expect(() => locate(project, root, "../elsewhere.ts")).toThrow("outside the project");
    expect(() => locate(project, root, "/etc/hostname")).toThrow("outside the project");
  });
});
