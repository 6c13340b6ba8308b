import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Repository, temporaryRepository } from "../../test/support/checkpoint-fixture.ts";
import { listStoredNotes, saveNote } from "../store/memory/chunks/notes.ts";
import { anchorNote, listNotesOnFile, listNotesOnLines, locateNotes } from "./line-notes.ts";

let repo: Repository;
beforeEach(async () => {
  repo = temporaryRepository();
  repo.commit("Start", { "src/retry.ts": retry.join("\n") });
});
afterEach(() => repo.remove());

const retry = [
  'import { sleep } from "./sleep.ts";',
  "",
  "export async function retry(call: () => Promise<void>, times: number) {",
  "  for (let i = 0; i < times; i++) {",
  "    if (await works(call)) return;",
  "    await sleep(100 * 2 ** i);",
  "  }",
  "}",
  "",
];

const write = (file: string, lines: readonly string[]) => {
  mkdirSync(join(repo.root, file, ".."), { recursive: true });
  writeFileSync(join(repo.root, file), lines.join("\n"));
};

async function note(first = 6, last = first, file = "src/retry.ts") {
  const place = await anchorNote(repo.root, file, { first, last });
  saveNote(repo.memory, {
    uid: `note-${first}`,
    sessionUid: null,
    turn: null,
    lineUid: null,
    at: 5,
    source: "shell",
    branch: null,
    note: "the server wants this pause",
    ...place,
  });
}

const locate = async () => [...(await locateNotes(repo.root, listStoredNotes(repo.memory))).values()];

it("follows its lines in their file", async () => {
  await note();
  expect(await locate()).toEqual([{ file: "src/retry.ts", firstLine: 6, lastLine: 6, state: "same" }]);
  write("src/retry.ts", ["// A licence.", ...retry]);
  expect(await locate()).toMatchObject([{ firstLine: 7, state: "same" }]);
  write("src/retry.ts", retry.with(5, "    await pause();"));
  expect(await locate()).toMatchObject([{ firstLine: 6, state: "changed" }]);
  write("src/retry.ts", retry.toSpliced(5, 1));
  expect(await locate()).toMatchObject([{ firstLine: 6, state: "gone" }]);
});

it("follows its lines to a file with another name, and to another file", async () => {
  await note();
  renameSync(join(repo.root, "src/retry.ts"), join(repo.root, "src/again.ts"));
  expect(await locate()).toMatchObject([{ file: "src/again.ts", firstLine: 6, state: "same" }]);
  repo.commit("Rename it");
  expect(await locate()).toMatchObject([{ file: "src/again.ts", firstLine: 6, state: "same" }]);
  rmSync(join(repo.root, "src/again.ts"));
  write("lib/all.ts", ["export const other = 1;", ...retry.slice(2)]);
  expect(await locate()).toMatchObject([{ file: "lib/all.ts", firstLine: 5, state: "same" }]);
});

it("stands among the notes of the file that has its lines", async () => {
  await note(6);
  await note(3, 4);
  const list = (file: string) =>
    listNotesOnFile(repo.memory, repo.root, file).map(({ lines }) => [lines.firstLine, lines.state]);
  expect(list("src/retry.ts")).toEqual([
    [3, "same"],
    [6, "same"],
  ]);
  expect(listNotesOnLines(repo.memory, repo.root, "src/retry.ts", { first: 4, last: 5 })).toHaveLength(1);
  renameSync(join(repo.root, "src/retry.ts"), join(repo.root, "src/again.ts"));
  expect(list("src/again.ts")).toEqual([
    [3, "same"],
    [6, "same"],
  ]);
  expect(list("src/retry.ts")).toEqual([
    [3, "gone"],
    [6, "gone"],
  ]);
});

it("remembers no text of the lines", async () => {
  const { lineKeys, ...place } = await anchorNote(repo.root, "src/retry.ts", { first: 6, last: 7 });
  expect(lineKeys).toHaveLength(retry.length);
  expect(place).toMatchObject({ path: "src/retry.ts", firstLine: 6, lastLine: 7, keysFrom: 1 });
});

it("refuses lines that are not there, and too many", async () => {
  await expect(anchorNote(repo.root, "src/no.ts", { first: 1, last: 1 })).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(anchorNote(repo.root, "src/retry.ts", { first: 9, last: 9 })).rejects.toMatchObject({
    code: "not_found",
  });
  write(
    "src/long.ts",
    Array.from({ length: 300 }, (_, i) => `${i}`),
  );
  await expect(anchorNote(repo.root, "src/long.ts", { first: 1, last: 300 })).rejects.toMatchObject({
    code: "usage",
  });
});
