import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { transcript } from "../../../test/support/transcript-fixture.ts";
import { claude } from "../../agents/claude/claude.ts";
import { emptyForgetRequest, forget } from "../../store/memory/privacy/forget.ts";
import { saveSession } from "../../store/memory/sessions/sessions.ts";
import { saveTranscript } from "../../store/memory/sessions/transcripts.ts";
import { previewImport } from "./import-preview.ts";

let dir: string;
let root: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-import-")));
  root = join(dir, "repo");
  mkdirSync(root);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A transcript of a session that ran in `cwd`. */
function write(session: string, cwd: string, agentId?: string): string {
  const builder = transcript({ session, cwd, ...(agentId !== undefined && { agentId }) });
  builder.prompt("hello there");
  return builder.writeTo(join(dir, "transcripts"));
}
const ids = ["1", "2", "3", "4"].map((n) => `0000000${n}-0000-4000-8000-000000000000`);
const [one = "", two = "", three = "", four = ""] = ids;
const asked = (more = {}) => ({
  agent: claude,
  places: [join(dir, "transcripts")],
  memory: null,
  roots: [root],
  since: null,
  ...more,
});

it("separates this project's sessions from those that ran elsewhere", async () => {
  const paths = [write(one, root), write(two, join(root, "packages/a")), write(one, root, "a1")];
  write(three, "/somewhere/else");
  appendFileSync(join(dir, "transcripts", "empty.jsonl"), "");
  const preview = await previewImport(asked());
  expect(preview.files.map(({ path }) => path).sort()).toEqual(paths.sort());
  expect(preview).toMatchObject({
    sessions: 2,
    subagents: 1,
    bytes: paths.reduce((sum, path) => sum + statSync(path).size, 0),
    imported: { sessions: 0 },
    elsewhere: { sessions: 1 },
    unclear: 1,
    from: Date.parse("2026-03-02T09:00:00.000Z"),
  });
  expect(await previewImport(asked({ roots: null }))).toMatchObject({
    sessions: 3,
    elsewhere: { sessions: 0 },
  });
});

it("takes sessions that ran elsewhere and touched something here", async () => {
  const begin = (session: string) => transcript({ session, cwd: dir });
  const [wrote, beside, said] = [begin(one), begin(two), begin(three)];
  wrote.write(join(root, "src/a.ts"), "1");
  beside.write(`${root}-old/src/a.ts`, "1");
  said.prompt(`What is "cwd": "${root}" for, and ${root}/src/a.ts?`);
  const paths = [wrote, beside, said].map((builder) => builder.writeTo(join(dir, "transcripts")));
  const preview = await previewImport(asked());
  expect(preview.files.map(({ path }) => path)).toEqual([paths[0]]);
  expect(preview).toMatchObject({ sessions: 1, elsewhere: { sessions: 2 } });
});

it("takes no session of another system, and none whose directory is relative", async () => {
  write(one, "C:\\Users\\ada\\acme");
  write(two, "\\\\wsl.localhost\\Ubuntu\\home\\ada");
  write(three, "D:/data");
  write(four, ".");
  const preview = await previewImport(asked({ roots: [process.cwd()] }));
  expect(preview).toMatchObject({ sessions: 0, elsewhere: { sessions: 4 } });
});

it("takes a transcript that is named itself, with its subagents'", async () => {
  const path = write(one, root);
  const agent = write(one, root, "a1");
  write(two, root);
  const preview = await previewImport(asked({ places: [path] }));
  expect(preview.files.map((file) => file.path)).toEqual([path, agent]);
});

it("leaves out sessions that are imported, older or forgotten", async () => {
  const [read, partly, old] = [write(one, root), write(two, root), write(three, root)];
  write(four, root);
  const { memory, remove } = temporaryMemory();
  for (const [path, uid] of [
    [read, one],
    [partly, two],
  ] as const) {
    const { id } = saveSession(memory, { uid, agent: "claude", cwd: root });
    const offset = path === read ? statSync(path).size : 10;
    saveTranscript(memory, {
      path,
      agent: "claude",
      sessionId: id,
      offset,
      lineHash: "h",
      size: offset,
      readAt: 1,
      skipped: {},
    });
  }
  utimesSync(old, new Date(1000), new Date(1000));
  const gone = saveSession(memory, { uid: four, agent: "claude", cwd: root });
  forget(memory, { ...emptyForgetRequest, sessions: [gone.id] });
  const preview = await previewImport(asked({ memory, since: 5000 }));
  expect(preview).toMatchObject({
    files: [{ path: partly, left: statSync(partly).size - 10, session: two }],
    sessions: 1,
    imported: { sessions: 1, bytes: statSync(read).size },
    older: 1,
    forgotten: 1,
  });
  remove();
});
