import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Repository, temporaryRepository } from "../../../test/support/checkpoint-fixture.ts";
import { makeDefaultConfig } from "../../base/config/settings.ts";
import { makeNewProject } from "../../base/paths.ts";
import { readRecordedDecisions } from "./recorded-decisions.ts";

let repo: Repository;
let client: string;
beforeEach(() => {
  repo = temporaryRepository();
  client = mkdtempSync(join(tmpdir(), "pommel-client-"));
  vi.stubEnv("CLAUDE_CONFIG_DIR", client);
});
afterEach(() => {
  vi.unstubAllEnvs();
  repo.remove();
  rmSync(client, { recursive: true, force: true });
});

const recorded = (config = makeDefaultConfig()) => readRecordedDecisions(makeNewProject(repo.root), config);

it("quotes records, marked comments and bodies of commits, with their location", async () => {
  const record =
    "# Keep the queue in SQLite\n\nStatus: superseded by 0002\n\n## Decision\n\nThe queue is a table of memory.db.\n";
  const code = "const a = 1;\n// WHY: the ledger is slow, so uploads are retried thrice\nconst b = 2;\n";
  const message =
    "Take a lock\n\nUse a lock file instead of retrying, so that two\nrefreshes never meet.\n\nSigned-off-by: Ann <a@example.org>";
  const hash = repo.commit(message, { "docs/adr/0001-queue.md": record, "src/a.ts": code });
  expect(await recorded()).toMatchObject([
    {
      source: "adr",
      text: "Keep the queue in SQLite: The queue is a table of memory.db.",
      place: "docs/adr/0001-queue.md:7",
      superseded_by: "superseded by 0002",
    },
    {
      source: "comment",
      text: "the ledger is slow, so uploads are retried thrice",
      place: "src/a.ts:2",
      files: ["src/a.ts"],
    },
    {
      source: "commit",
      text: "Use a lock file instead of retrying, so that two refreshes never meet.",
      place: hash.slice(0, 8),
    },
  ]);
});

it("leaves out records whose decision begins with what leads up to it, unless the title says it", async () => {
  const record = (title: string, decision: string) => `# ${title}\n\n## Decision\n\n${decision}\n`;
  repo.commit("Records", {
    "docs/adr/1.md": record("Queues", "Currently, queues are files in the project."),
    "docs/adr/2.md": record("The queue's kind", "A queue is a list of jobs that wait for the daemon."),
    "docs/adr/3.md": record("Use SQLite for queues", "We considered files, and a table for each queue."),
    "docs/adr/4.md": record("Place of queues", "Queues move to memory.db of each project:"),
  });
  expect((await recorded()).map(({ place }) => place)).toEqual(["docs/adr/3.md:5"]);
});

/** The client's folder for the project. */
function placeOf(root: string): string {
  const place = join(client, "projects", realpathSync(root).replace(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(join(place, "memory"), { recursive: true });
  return place;
}

const key = `sk-${"ant-api03-"}${"a1B2c3D4e5".repeat(9)}AA`;
const memory = `# Memory\n\n- The build takes a minute.\n- We decided to retry uploads three times, because the ledger is slow.\n- We decided to sign in with ${key} as the robot, because it never expires.\n`;

it("quotes the client's memory of this project, scrubbed, with file and line", async () => {
  const place = placeOf(repo.root);
  writeFileSync(join(place, "memory", "MEMORY.md"), memory);
  const found = await recorded();
  expect(found).toMatchObject([
    {
      source: "memory",
      text: "We decided to retry uploads three times, because the ledger is slow.",
      place: expect.stringMatching(/memory\/MEMORY\.md:4$/),
    },
    { source: "memory", place: expect.stringMatching(/:5$/) },
  ]);
  expect(JSON.stringify(found)).not.toContain(key);
});

it("leaves out links, huge files and binaries", async () => {
  const place = placeOf(repo.root);
  writeFileSync(join(client, "elsewhere.md"), memory);
  symlinkSync(join(client, "elsewhere.md"), join(place, "memory", "link.md"));
  writeFileSync(join(place, "memory", "huge.md"), memory + "x ".repeat(200_000));
  writeFileSync(join(place, "memory", "binary.md"), Buffer.from([0, 1, 2, 0]));
  expect(await recorded()).toEqual([]);
});

it("leaves out the memory of a folder that another project shares", async () => {
  const place = placeOf(repo.root);
  writeFileSync(join(place, "memory", "MEMORY.md"), memory);
  const line = { type: "user", uuid: "u1", parentUuid: null, sessionId: "s1", cwd: "/another/project" };
  const message = { role: "user", content: "hello" };
  const at = "2026-03-01T10:00:00.000Z";
  writeFileSync(join(place, "s1.jsonl"), `${JSON.stringify({ ...line, timestamp: at, message })}\n`);
  expect(await recorded()).toEqual([]);
});
