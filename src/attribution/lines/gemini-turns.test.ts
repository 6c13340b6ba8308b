import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ChatFixture, chat } from "../../../test/support/chat-fixture.ts";
import {
  firstCommitAt,
  type Repository,
  temporaryRepository,
} from "../../../test/support/checkpoint-fixture.ts";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { gemini } from "../../agents/gemini/gemini.ts";
import { streamChangedFiles } from "../../git/diff/changes.ts";
import type { ChangedFile } from "../../git/diff/changes-types.ts";
import { ingestTranscript } from "../../sessions/ingest/ingest.ts";
import { attributeChange } from "./attribute.ts";

/** From a chat of Gemini CLI to who wrote the lines of a commit. */

let repository: Repository;
let made: ReturnType<typeof temporaryWork>;
let tmp: string;
beforeEach(() => {
  repository = temporaryRepository();
  made = temporaryWork();
  tmp = join(mkdtempSync(join(tmpdir(), "pommel-gemini-")), ".gemini", "tmp");
});
afterEach(() => {
  repository.remove();
  made.remove();
  rmSync(tmp, { recursive: true, force: true });
});

const before = "export function refresh() {\n  token = ask();\n}\n";
const after = "export function refresh() {\n  token = withLock(() => ask());\n}\n";

/** The first commit is there, and a chat that begins five minutes later. */
function begun(): ChatFixture {
  repository.commit("Start", { "src/auth.ts": before });
  repository.wait(10);
  const c = chat({ cwd: repository.root, start: new Date(firstCommitAt * 1000 + 300_000).toISOString() });
  c.begin();
  c.prompt("make token refresh atomic");
  return c;
}

const at = (path: string) => join(repository.root, path);

/** Who wrote the lines of a commit: "src/auth.ts:2 agent edit". */
async function authorsOf(c: ChatFixture, files: Record<string, string>): Promise<string[]> {
  await ingestTranscript({ ...made.work, root: repository.root, agent: gemini }, c.writeTo(tmp));
  const hash = repository.commit("Refresh atomically", files);
  const changed: ChangedFile[] = [];
  for await (const file of streamChangedFiles(repository.root, { commit: hash })) changed.push(file);
  const when = repository.now();
  const { ranges } = await attributeChange(
    { memory: made.memory, root: repository.root, worktrees: [] },
    {
      hash,
      authoredAt: when,
      committedAt: when,
      parent: repository.git("rev-parse", "HEAD~1"),
      subject: "x",
      branch: null,
      predecessors: [],
      isOwn: true,
      files: changed,
    },
  );
  return ranges.map((range) => {
    const lines =
      range.firstLine === range.lastLine ? range.firstLine : `${range.firstLine}-${range.lastLine}`;
    const by = range.author === "agent" ? ` ${range.how} ${range.turn} ${range.model}` : "";
    return `${range.path}:${lines} ${range.author}${by}`;
  });
}

test("edits, files and the content of commands are the agent's; lines written by hand are not", async () => {
  const c = begun();
  c.edit(at("src/auth.ts"), before, after);
  c.write(at("src/lock.ts"), "export function withLock<T>(ask: () => T): T {\n  return ask();\n}\n");
  c.shell("cat > src/notes.md <<'END'\nTokens are refreshed under a lock.\nEND", "");
  expect(
    await authorsOf(c, {
      "src/auth.ts": `${after}// nobody but me wrote these words\n`,
      "src/lock.ts": "export function withLock<T>(ask: () => T): T {\n  return ask();\n}\n",
      "src/notes.md": "Tokens are refreshed under a lock.\n",
    }),
  ).toEqual([
    "src/auth.ts:2 agent edit 1 gemini-2.5-pro",
    expect.stringMatching(/^src\/auth\.ts:4 (?:human|unknown)$/),
    "src/lock.ts:1-3 agent edit 1 gemini-2.5-pro",
    "src/notes.md:1 agent shell 1 gemini-2.5-pro",
  ]);
});

test("the human's changes to a proposal are not the agent's, nor are the lines of a failed edit", async () => {
  const c = begun();
  const both = after.replace("}\n", "  audit.record(token, reasonOfMine);\n}\n");
  const proposal = { ai_proposed_content: "  token = withLock(() => ask());", modified_by_user: true };
  c.edit(at("src/auth.ts"), before, both, { added: 1, args: proposal });
  const other = { file_path: "src/other.ts", content: "export const other = somethingElse();\n" };
  c.tool("write_file", other, "[Operation Cancelled]", { status: "cancelled" });
  expect(await authorsOf(c, { "src/auth.ts": both, "src/other.ts": other.content })).toEqual([
    "src/auth.ts:2 agent edit 1 gemini-2.5-pro",
    expect.stringMatching(/^src\/auth\.ts:3 (?:human|unknown)$/),
    expect.stringMatching(/^src\/other\.ts:1 (?:human|unknown)$/),
  ]);
});

test("if only the repeated history of a chat is left, its edits are known without their diffs", async () => {
  const whole = begun();
  whole.edit(at("src/auth.ts"), before, after);
  const recorded = whole.records.length;
  whole.resume({ sameMinute: true });
  whole.records.splice(0, recorded);
  expect(await authorsOf(whole, { "src/auth.ts": after })).toEqual([
    expect.stringMatching(/^src\/auth\.ts:2 agent edit 1/),
  ]);
});
