import { afterEach, beforeEach, expect, it } from "vitest";
import { type Repository, temporaryRepository } from "../../../test/support/checkpoint-fixture.ts";
import { recordedDecisions } from "./recorded-decisions.ts";

let repo: Repository;
beforeEach(() => {
  repo = temporaryRepository();
});
afterEach(() => repo.remove());

it("quotes records, marked comments and bodies of commits, with their location", async () => {
  const record =
    "# Keep the queue in SQLite\n\nStatus: superseded by 0002\n\n## Decision\n\nThe queue is a table of memory.db.\n";
  const code = "const a = 1;\n// WHY: the ledger is slow, so uploads are retried thrice\nconst b = 2;\n";
  const message =
    "Take a lock\n\nUse a lock file instead of retrying, so that two\nrefreshes never meet.\n\nSigned-off-by: Ann <a@example.org>";
  const hash = repo.commit(message, { "docs/adr/0001-queue.md": record, "src/a.ts": code });
  expect(await recordedDecisions(repo.root)).toMatchObject([
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
      place: hash.slice(0, 12),
    },
  ]);
});
