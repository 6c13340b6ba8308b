import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadTasks } from "./tasks.ts";

const task = { id: "a", repository: "shop", prompt: "Repair it.", check: { command: "true" } };

/** A tasks file beside a directory `shop`. */
function write(...tasks: object[]): { dir: string; file: string } {
  const dir = mkdtempSync(join(tmpdir(), "pommel-tasks-"));
  mkdirSync(join(dir, "shop"));
  const file = join(dir, "tasks.json");
  writeFileSync(file, JSON.stringify({ tasks }));
  return { dir, file };
}

it("takes paths from the tasks file, and leaves addresses as they are", () => {
  const urls = ["https://example.com/shop.git", "git@example.com:shop.git"];
  const remote = urls.map((repository, i) => ({ ...task, id: `b${i}`, repository }));
  const { dir, file } = write({ ...task, sessions: ["shop"] }, ...remote);
  const { tasks } = loadTasks(file);
  expect(tasks[0]).toMatchObject({
    repository: join(dir, "shop"),
    sessions: [join(dir, "shop")],
    revision: "HEAD",
  });
  expect(tasks.slice(1).map(({ repository }) => repository)).toEqual(urls);
});

it.each([
  ["two tasks of a name", [task, task], "There are two tasks a."],
  ["a repository that is not there", [{ ...task, repository: "bakery" }], "bakery"],
  ["a check of another kind", [{ ...task, check: { exits: 0 } }], "check"],
  ["no tasks", [], "tasks"],
])("refuses %s", (_, tasks, message) => {
  const { file } = write(...tasks);
  expect(() => loadTasks(file)).toThrow(message);
});
