import { rmSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { type IndexedProject, indexedProject } from "../../../test/support/indexed-project.ts";
import { findCodeAround } from "../../answers/ask-graph.ts";

let indexed: IndexedProject;
afterEach(() => indexed.remove());

const around = async (...files: string[]) =>
  (await findCodeAround(indexed.project, files)).map(({ file, used_by, uses }) => [
    file,
    used_by.join(" "),
    uses.join(" "),
  ]);

const files = {
  "src/http/retry.ts":
    'import { sleep } from "../util/time.ts";\nexport function retry(send: () => void) {\n  sleep();\n  send();\n}\n',
  "src/util/time.ts": "export function sleep() {}\nexport function parse() {}\n",
  "src/http/client.ts": 'import { retry } from "./retry.ts";\nexport function get() {\n  retry(get);\n}\n',
  "src/jobs/job.ts":
    'import { retry } from "../http/retry.ts";\nexport function run() {\n  retry(run);\n}\nexport const again = () => retry(run);\n',
  "test/retry.test.ts": 'import { retry } from "../src/http/retry.ts";\nretry(() => {});\n',
  "src/other.ts": "export function other(x: any) {\n  x.retry();\n}\n",
};

it("names the files that call a file's code, or that it calls: its test and the nearest first", async () => {
  indexed = await indexedProject(files);
  expect(await around("src/http/retry.ts")).toEqual([
    ["test/retry.test.ts", "retry.test.ts", ""],
    ["src/http/client.ts", "get", ""],
    ["src/jobs/job.ts", "run again", ""],
    ["src/util/time.ts", "", "sleep"],
  ]);
});

it("takes several files as one, and leaves them out", async () => {
  indexed = await indexedProject(files);
  expect((await around("src/http")).map(([file]) => file)).toEqual([
    "test/retry.test.ts",
    "src/jobs/job.ts",
    "src/util/time.ts",
  ]);
  expect(await around("src/none.ts")).toEqual([]);
  expect(await around()).toEqual([]);
});

it("is empty without an index", async () => {
  indexed = await indexedProject(files);
  await indexed.index.close();
  rmSync(indexed.project.indexDb);
  expect(await around("src/http/retry.ts")).toEqual([]);
});
