import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { namedProject } from "../../../test/support/named-project.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { idOf, transcript } from "../../../test/support/transcript-fixture.ts";
import { setConfig } from "../../base/config/config-edit.ts";
import type { Project } from "../../base/paths.ts";
import { rememberProject } from "../../git/projects/find-project.ts";
import { Memory } from "../../store/memory/memory.ts";
import { emptyForgetRequest, forget } from "../../store/memory/privacy/forget.ts";
import { saveSession } from "../../store/memory/sessions/sessions.ts";
import { saveTranscript } from "../../store/memory/sessions/transcripts.ts";
import { listKept } from "../../store/vault/vault.ts";
import { keepUnread } from "./keep-unread.ts";

let home: ReturnType<typeof temporaryHome>;
let projects: string;
let shop: Project;
let claudeBefore: string | undefined;
beforeEach(() => {
  home = temporaryHome();
  claudeBefore = process.env.CLAUDE_CONFIG_DIR;
  process.env.CLAUDE_CONFIG_DIR = join(home.dir, "claude");
  projects = join(home.dir, "claude", "projects");
  mkdirSync(join(home.dir, "shop"));
  shop = namedProject(join(home.dir, "shop"));
});
afterEach(() => {
  if (claudeBefore === undefined) delete process.env.CLAUDE_CONFIG_DIR;
  else process.env.CLAUDE_CONFIG_DIR = claudeBefore;
  home.remove();
});

function write(name: string, cwd: string): string {
  const session = transcript({ session: idOf(name), cwd });
  session.prompt(`about ${name}`);
  return session.writeTo(projects);
}

function inMemory(use: (memory: Memory) => void): void {
  const memory = Memory.open(shop.memoryDb, { readonly: false });
  use(memory);
  memory.close();
}

const kept = () => [...listKept(projects)].map(({ path }) => path).toSorted();
const record = (which: string) => setConfig(null, "sessions.record", which, { global: true });

it("keeps every transcript that is not read to its end, and takes out what is by now", async () => {
  record("all");
  const [one, two] = [write("one", shop.root), write("two", "/gone/elsewhere")];
  expect(await keepUnread()).toMatchObject({ transcripts: 2, problem: null });
  expect(kept()).toEqual([one, two].toSorted());
  const read = (offset: number) =>
    inMemory((memory) =>
      saveTranscript(memory, {
        path: one,
        agent: "claude",
        sessionId: null,
        lineHash: "",
        offset,
        size: offset,
        readAt: 0,
        skipped: {},
      }),
    );
  read(10);
  expect(await keepUnread()).toMatchObject({ transcripts: 2 });
  read(1_000_000);
  expect(await keepUnread()).toMatchObject({ transcripts: 1 });
  expect(kept()).toEqual([two]);
  rmSync(two);
  expect(await keepUnread()).toMatchObject({ transcripts: 1 });
});

it("keeps nothing of what is not recorded", async () => {
  const [one, two] = [write("one", shop.root), write("two", "/gone/elsewhere")];
  record("none");
  expect(await keepUnread()).toMatchObject({ transcripts: 0 });
  record("named");
  await keepUnread();
  expect(kept()).toEqual([one]);
  record("all");
  await rememberProject(shop, { off: true });
  await keepUnread();
  expect(kept()).toEqual([two]);
});

it("keeps no session that was forgotten", async () => {
  record("all");
  const [, two] = [write("one", shop.root), write("two", shop.root)];
  inMemory((memory) => {
    const { id } = saveSession(memory, { uid: idOf("one"), agent: "claude", cwd: shop.root });
    forget(memory, { ...emptyForgetRequest, sessions: [id] });
  });
  await keepUnread();
  expect(kept()).toEqual([two]);
});
