import { join } from "node:path";
import { expect, test } from "vitest";
import { all, newRepository } from "../../test/support/repository-fixture.ts";
import { readBlobs } from "./objects.ts";

test("reads files at a commit, relative to a directory, of any length and content", async () => {
  const { dir, commit } = newRepository();
  const long = `${"x".repeat(99)}\n`.repeat(5000);
  const bytes = Uint8Array.of(0, 10, 255, 10, 10);
  const hash = commit("one", {
    "sub/long": long,
    "sub/bytes": bytes,
    "sub/empty": "",
    "sub/-a b": "a\n",
    top: "t",
  });
  commit("two", { "sub/long": "other\n" });
  const paths = ["long", "absent", "empty", "deep", "bytes", "-a b", "top"];
  const read = async (longest: number) =>
    (await all(readBlobs(join(dir, "sub"), hash, paths, { longest }))).map(({ path, bytes }) => [
      path,
      bytes === null ? null : bytes.toString("latin1"),
    ]);
  const others = [
    ["absent", null],
    ["empty", ""],
    ["deep", null],
    ["bytes", Buffer.from(bytes).toString("latin1")],
    ["-a b", "a\n"],
    ["top", null],
  ];
  expect(await read(1_000_000)).toEqual([["long", long], ...others]);
  expect(await read(1000)).toEqual([["long", null], ...others]);
  expect(await all(readBlobs(dir, hash, ["sub"], { longest: 1000 }))).toEqual([{ path: "sub", bytes: null }]);
  expect(await all(readBlobs(dir, hash, [], { longest: 1000 }))).toEqual([]);
});
