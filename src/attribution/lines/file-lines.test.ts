import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newRepository } from "../../../test/support/repository-fixture.ts";
import { streamChangedFiles } from "../../git/diff/changes.ts";
import type { ChangedFile } from "../../git/diff/changes-types.ts";
import { readFilesToAttribute } from "./file-lines.ts";

const changed = (path: string, added: string[], more: Partial<ChangedFile> = {}): ChangedFile => ({
  path,
  oldPath: null,
  status: "M",
  isText: true,
  hunks: [{ oldStart: 1, newStart: 2, removed: [], added }],
  ...more,
});

/** Lines as a diff has them, with their numbers. */
const brief = (files: Awaited<ReturnType<typeof readFilesToAttribute>>) =>
  Object.fromEntries(
    files.map(({ change, lines }) => [
      change.path,
      lines.map(({ line, bare, isAdded }) => `${line}${isAdded ? "+" : " "}${bare}`),
    ]),
  );

describe("of the working tree", () => {
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "pommel-lines-"));
  });
  afterAll(() => rmSync(root, { recursive: true }));
  const inTree = async (text: string | null, ...added: string[]) => {
    if (text !== null) writeFileSync(join(root, "a.ts"), text);
    else rmSync(join(root, "a.ts"), { force: true });
    return brief(await readFilesToAttribute({ root }, null, [changed("a.ts", added)]))["a.ts"];
  };

  it("the whole file, without blank lines", async () => {
    expect(await inTree("one();\ntwo();\n\n}\n", "two();", "")).toEqual(["1 one()", "2+two()", "4 }"]);
  });

  it("only added lines if the file is gone, or was changed meanwhile", async () => {
    expect(await inTree("one();\nother();\n", "two();", "", "}")).toEqual(["2+two()", "4+}"]);
    expect(await inTree(null, "two();")).toEqual(["2+two()"]);
  });
});

it("each hunk's removed lines, by its number, and a notebook's lines by their text", async () => {
  const hunks = [
    { oldStart: 3, newStart: 3, removed: ['"a = 1\\n",', "", '"b = 2\\n",'], added: ['"c = 3\\n",'] },
    { oldStart: 9, newStart: 7, removed: ["]"], added: [] },
  ];
  const [file] = await readFilesToAttribute({ root: "/nowhere" }, null, [changed("a.ipynb", [], { hunks })]);
  expect(file!.lines).toMatchObject([{ line: 3, bare: "c=3", isAdded: true }]);
  expect(file!.removed.map((hunk) => hunk.map(({ line, bare }) => [line, bare]))).toEqual([
    [
      [3, "a=1"],
      [5, "b=2"],
    ],
    [],
  ]);
});

it("of a notebook what its cells printed is nobody's, and each cell is known", async () => {
  const cells = [
    {
      cell_type: "code",
      execution_count: 3,
      metadata: {},
      outputs: [{ text: ["12\n"] }],
      source: ["a = 1\n", "a"],
    },
    { cell_type: "markdown", metadata: {}, source: "Look" },
  ];
  const text = JSON.stringify({ cells, metadata: {} }, null, 1);
  const root = mkdtempSync(join(tmpdir(), "pommel-notebook-"));
  writeFileSync(join(root, "a.ipynb"), text);
  const hunks = [{ oldStart: 0, newStart: 1, removed: [], added: text.split("\n") }];
  const [file] = await readFilesToAttribute({ root }, null, [changed("a.ipynb", [], { hunks })]);
  expect(file!.lines.map(({ bare }) => bare)).toEqual(["a=1", "a", "Look"]);
  const printed = [...file!.printed].map((line) => text.split("\n")[line - 1]!.trim());
  expect(printed).toEqual([
    '"execution_count": 3,',
    '"outputs": [',
    "{",
    '"text": [',
    '"12\\n"',
    "]",
    "}",
    "],",
  ]);
  expect(
    file!.cells.map(([first, last]) => [text.split("\n")[first - 1], text.split("\n")[last - 1]]),
  ).toEqual([
    ["  {", "  },"],
    ["  {", "  }"],
  ]);
  rmSync(root, { recursive: true });
});

it("files that are not text, or have no lines, are left out", async () => {
  const changes = [changed("a.png", [], { isText: false, hunks: [] }), changed("b.ts", [], { hunks: [] })];
  expect(await readFilesToAttribute({ root: "/nowhere" }, null, changes)).toEqual([]);
});

it("for very many files only added lines count, and no file is read", async () => {
  const changes = Array.from({ length: 401 }, (_, i) => changed(`${i}.ts`, ["line();"]));
  const files = await readFilesToAttribute({ root: "/nowhere" }, "1".repeat(40), changes);
  expect(files).toHaveLength(401);
  expect(files.every(({ lines }) => lines.length === 1 && lines[0]!.line === 2)).toBe(true);
});

describe("from a commit", () => {
  /** Five times as much is more than is read. */
  const big = `${"x".repeat(100)}\n`.repeat(70_000);

  it("the whole files, with any name, in any project directory", async () => {
    const { dir, commit, git } = newRepository();
    const odd = [
      "sub/ü é.ts",
      "sub/a:b.ts",
      "sub/ lead",
      'sub/q"uote.ts',
      "sub/line\nfeed.ts",
      "sub/-dash.ts",
    ];
    commit("one", Object.fromEntries([...odd, "top.ts"].map((path) => [path, "one();\n"])));
    const hash = commit(
      "two",
      Object.fromEntries([...odd, "top.ts"].map((path) => [path, "one();\r\ntwo();\r\n"])),
    );
    const whole = ["1+one()", "2+two()"];
    const lines = async (root: string) => {
      const changes: ChangedFile[] = [];
      for await (const file of streamChangedFiles(root, { commit: hash })) changes.push(file);
      return brief(await readFilesToAttribute({ root }, hash, changes));
    };
    expect(await lines(join(dir, "sub"))).toEqual(
      Object.fromEntries(odd.map((path) => [path.slice(4), whole])),
    );
    mkdirSync(join(dir, "other"));
    expect(await lines(join(dir, "other"))).toEqual({});
    const last = commit("three", {
      "top.ts": "one();\r\ntwo();\r\nthree();\n",
      "sub/line\nfeed.ts": "one();\r\ntwo();\r\nthree();\n",
    });
    const changes: ChangedFile[] = [];
    for await (const file of streamChangedFiles(dir, { commit: last })) changes.push(file);
    // Git cannot be asked for a name with a line feed in a list of names.
    expect(brief(await readFilesToAttribute({ root: dir }, last, changes))).toEqual({
      "sub/line\nfeed.ts": ["3+three()"],
      "top.ts": ["1 one()", "2 two()", "3+three()"],
    });
    expect(git("status", "--porcelain")).toBe("");
  });

  it("only added lines if git lacks the file, or it is too large", async () => {
    const { dir, commit } = newRepository();
    const hash = commit("one", { "a.ts": "one();\ntwo();\n", "b.ts": big });
    const change = changed("a.ts", ["two();"]);
    expect(brief(await readFilesToAttribute({ root: dir }, hash, [change]))).toEqual({
      "a.ts": ["1 one()", "2+two()"],
    });
    expect(brief(await readFilesToAttribute({ root: dir }, "1".repeat(40), [change]))).toEqual({
      "a.ts": ["2+two()"],
    });
    const more = Array.from({ length: 5 }, () => changed("b.ts", ["xx"]));
    expect(brief(await readFilesToAttribute({ root: dir }, hash, [change, ...more]))).toEqual({
      "a.ts": ["2+two()"],
      "b.ts": ["2+xx"],
    });
    expect(
      brief(await readFilesToAttribute({ root: dir }, hash, [changed("gone.ts", ["x"]), change]))["a.ts"],
    ).toHaveLength(2);
  });
});
