import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../../src/base/config/config.ts";
import type { Project } from "../../src/base/paths.ts";
import { callDaemon } from "../../src/client/daemon-client.ts";
import { readState } from "../../src/features/status/operation.ts";
import { buildCurrentCut, buildCutSettings } from "../../src/sessions/chunks/cut-rules.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { cutCounts } from "../../src/store/memory/sessions/session-index.ts";
import {
  cleanUp,
  createProject,
  pmJson,
  spawnDaemon,
  status,
  until,
  untilAnswering,
} from "./daemon-fixture.ts";
import { callPm } from "./run-pm.ts";
import { importHere, sessionIn, sessionsFound, transcriptDir } from "./sessions-fixture.ts";

/** How the daemon cuts sessions again when rules or settings change. */

let project: Project;
let dir: string;
beforeEach(() => {
  project = createProject({ "src/retry.ts": "export const attempts = 3;\n" });
  dir = transcriptDir(project);
});
afterEach(async () => {
  await cleanUp();
  rmSync(join(process.env.HOME!, ".claude"), { recursive: true, force: true });
});

/** So many that it takes a while to cut them. */
const sessions = 24;
const idOf = (n: number) => `${String(n).padStart(8, "0")}-1111-4111-8111-111111111111`;

async function importSessions(): Promise<void> {
  const all = Array.from({ length: sessions }, (_, n) => {
    const made = sessionIn(project, idOf(n));
    for (let turn = 0; turn < 6; turn++) {
      made.prompt(`Why does the animal${n} fail at night, take ${turn}?`);
      made.bash(`npm test animal${n}`, `FAIL animal${n}`, { isError: true });
      made.reply(
        `The animal${n} failed because of reason ${turn}. ${`It was cold and late in ${turn}. `.repeat(60)}`,
      );
    }
    return made;
  });
  await importHere(project, all, dir);
}

const isCutAgain = () => until(async () => (await status(project)).memory.recut.sessions === 0);

test("after a change of settings, from what is stored; also when it is killed in the middle", async () => {
  await importSessions();
  // The agent's own files vanish.
  rmSync(dir, { recursive: true });
  const before = decisionChunks();
  expect(
    (await callPm(["config", "set", "sessions.decision_words", "because of reason"], { cwd: project.root }))
      .code,
  ).toBe(0);
  expect((await status(project)).memory.recut).toEqual({ sessions, all: sessions });
  expect((await callPm(["doctor"], { cwd: project.root })).stdout).toMatch(
    new RegExp(`! chunks +${sessions} of ${sessions} sessions were divided into chunks`),
  );

  const first = spawnDaemon();
  // A daemon works on the projects that somebody uses.
  await untilAnswering();
  void callDaemon(project.root, readState, {}).catch(() => {});
  const counts = watchCounts();
  for (;;) {
    const { outdated } = counts.now();
    if (outdated < sessions) break;
    await nextTurn();
  }
  first.kill("SIGKILL");
  await once(first, "exit");
  const { outdated } = counts.now();
  counts.close();
  expect(outdated).toBeGreaterThan(0);
  expect(outdated).toBeLessThan(sessions);

  spawnDaemon();
  await untilAnswering();
  await isCutAgain();
  expect(decisionChunks()).toBeGreaterThan(before);
  // Its words and vectors follow the chunks.
  await until(async () => (await sessionsFound(project, "why does the animal7 fail"))[0] === idOf(7));

  // Back again, while the daemon runs.
  await pmJson(project, "config", "unset", "sessions.decision_words");
  await until(() => decisionChunks() === before);
});

function decisionChunks(): number {
  const memory = Memory.open(project.memoryDb, { readonly: true });
  try {
    return memory
      .prepare("SELECT count(*) FROM chunks WHERE type = 'raw' AND kind = 'decision'")
      .pluck()
      .get() as number;
  } finally {
    memory.close();
  }
}

/** Reads how far it is, as often as one likes. */
function watchCounts() {
  const memory = Memory.open(project.memoryDb, { readonly: true });
  const current = buildCurrentCut(buildCutSettings(loadConfig(project).config));
  return { now: () => cutCounts(memory, current), close: () => memory.close() };
}
