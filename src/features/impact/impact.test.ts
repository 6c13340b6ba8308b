import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type IndexedProject, indexedProject } from "../../../test/support/indexed-project.ts";
import { temporaryGit } from "../../../test/support/repository-fixture.ts";
import { computeImpact } from "./impact.ts";

let indexed: IndexedProject;
afterEach(() => indexed.remove());

const files = {
  "src/retry.ts":
    "export function retry(send: () => void) {\n  send();\n}\nexport function wait() {\n  return 1;\n}\n",
  "src/client.ts": 'import { retry } from "./retry.ts";\nexport function get() {\n  retry(() => {});\n}\n',
  "src/client.test.ts": 'import { get } from "./client.ts";\nexport function works() {\n  get();\n}\n',
};

const brief = async (request: Parameters<typeof computeImpact>[1]) => {
  const { targets, touched, total, tests, test_files, notes } = await computeImpact(indexed.project, request);
  return {
    targets: targets.map(({ name }) => name),
    touched: touched.map(({ name, distance, through, confidence }) =>
      [name, distance, through, confidence].join(" "),
    ),
    total,
    tests,
    test_files,
    notes,
  };
};

it("names what a change of a symbol, of a file or of lines may touch, tests first", async () => {
  indexed = await indexedProject(files);
  const all = await brief({ of: ["retry"] });
  expect(all).toMatchObject({
    targets: ["retry"],
    touched: ["works 2 get resolved", "get 1 retry resolved"],
    total: 2,
    tests: 1,
    test_files: ["src/client.test.ts"],
  });
  expect(all.notes).toEqual([
    "Not known: calls of functions that are passed as values, by reflection, by names that are built at run time, in macros, and from other repositories.",
  ]);
  expect(await brief({ of: ["retry"], depth: 1 })).toMatchObject({ touched: ["get 1 retry resolved"] });
  expect(await brief({ of: ["retry"], limit: 1 })).toMatchObject({
    touched: ["works 2 get resolved"],
    total: 2,
  });
  expect((await brief({ of: ["src/retry.ts"] })).targets).toEqual(["retry", "wait"]);
  expect(await brief({ of: ["src/retry.ts:5"] })).toMatchObject({ targets: ["wait"], total: 0 });
});

it("says which files import a name without a use that is known", async () => {
  indexed = await indexedProject({
    ...files,
    "src/table.ts": 'import { retry } from "./retry.ts";\nexport const table = [retry!];\n',
  });
  const { touched, notes } = await brief({ of: ["retry"], depth: 1 });
  expect(touched).toEqual(["get 1 retry resolved"]);
  expect(notes[0]).toBe("1 file imports it, but where it uses it cannot be followed: src/table.ts.");
});

it("says what nobody defines, and refuses to look at nothing", async () => {
  indexed = await indexedProject(files);
  await expect(brief({ of: ["nowhere"] })).rejects.toMatchObject({ code: "not_found" });
  expect(() => computeImpact(indexed.project, {})).toThrowError(expect.objectContaining({ code: "usage" }));
});

it("does not claim that nothing is defined in languages whose calls it does not know", async () => {
  indexed = await indexedProject({ "src/retry.rb": "def retry_it\n  1\nend\n" });
  const { root } = indexed.project;
  await expect(brief({ of: ["retry_it"] })).rejects.toThrow("Ruby files are not analysed");
  await expect(brief({ of: ["src/retry.rb"] })).rejects.toThrow("Who calls what is not known for Ruby.");
  const { git } = temporaryGit(root);
  git("add", "src");
  git("commit", "--quiet", "-m", "First");
  writeFileSync(join(root, "src/retry.rb"), "def retry_it\n  2\nend\n");
  expect((await brief({ diff: true })).notes).toContain("Changes in Ruby files are not looked at.");
});

it("looks at the definitions with uncommitted changes", async () => {
  indexed = await indexedProject(files);
  const { root } = indexed.project;
  await expect(brief({ diff: true })).rejects.toMatchObject({ code: "usage" });
  const { git } = temporaryGit(root);
  git("add", "src");
  git("commit", "--quiet", "-m", "First");
  expect(await brief({ diff: true })).toMatchObject({ targets: [], total: 0 });
  writeFileSync(join(root, "src/retry.ts"), files["src/retry.ts"].replace("send();", "send(); // again"));
  expect(await brief({ diff: true })).toMatchObject({
    targets: ["retry"],
    touched: ["works 2 get resolved", "get 1 retry resolved"],
  });
});
