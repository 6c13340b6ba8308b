import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import { addNote, changeMemory, toldProject } from "../../../test/support/told-project.ts";
import { answerThroughChannel } from "../../answers/channel.ts";
import { withMemory } from "../../answers/open.ts";
import { setConfig } from "../../base/config/config-edit.ts";
import { locateHome } from "../../base/home.ts";
import type { Project } from "../../base/paths.ts";
import { dropReady } from "../../git/projects/drop-ready.ts";
import { readReady } from "../../protocol/ready-context.ts";
import { encryptHome } from "../../store/encryption/convert.ts";
import { forgetKeys } from "../../store/encryption/keys.ts";
import { listInjections } from "../../store/memory/injections.ts";
import { saveSession } from "../../store/memory/sessions/sessions.ts";
import { saveTranscript } from "../../store/memory/sessions/transcripts.ts";
import { computeContext } from "./context.ts";
import type { ContextRequest } from "./operation.ts";
import { describeReadySources, makeReady, recordGiven } from "./ready.ts";

let home: ReturnType<typeof temporaryHome>;
let project: Project;
beforeEach(() => {
  home = temporaryHome();
  project = toldProject(join(home.dir, "shop"));
});
afterEach(() => {
  forgetKeys();
  home.remove();
});

const asked = async (request: Partial<ContextRequest>) => {
  const given = { event: "session-start", session_id: "new", cwd: project.root, ...request } as const;
  return (await answerThroughChannel("hook", () => computeContext(project, given))).text;
};
const readyDir = () => join(locateHome().cacheDir, "context");
const ready = () => (existsSync(readyDir()) ? readdirSync(readyDir()) : []);
const atStart = () => readReady(project.root, "start");
const textOf = (lines: readonly { text: string }[]) => {
  const { head, tail } = atStart()!.ready;
  return `${head}${lines.map(({ text }) => text).join("\n")}${tail}`;
};

it("is what a new session would be told, and one that was compacted", async () => {
  const at = Date.now();
  changeMemory(project, (memory) => {
    saveSession(memory, { uid: "earlier", agent: "claude", cwd: project.root, lastAt: at });
    const path = join(home.dir, "earlier.jsonl");
    const { id } = saveSession(memory, { uid: "earlier", agent: "claude", cwd: project.root });
    saveTranscript(memory, {
      path,
      agent: "claude",
      sessionId: id,
      lineHash: "",
      readAt: 0,
      skipped: {},
      offset: 0,
      size: 0,
    });
    saveSession(memory, { uid: "begun", agent: "claude", cwd: project.root, lastAt: at });
    saveSession(memory, { uid: "over", agent: "claude", cwd: project.root, lastAt: at - 7_200_000 });
  });
  await makeReady(project);
  const { start, compactions } = atStart()!.ready;
  expect(textOf(start)).toBe(await asked({ source: "startup" }));
  expect(textOf(start)).toContain("releases are cut on Fridays");
  expect(textOf(start)).toContain("retry three times instead of once");
  expect(Object.keys(compactions)).toEqual(["earlier"]);
  expect(textOf(compactions.earlier!)).toBe(await asked({ source: "compact", session_id: "earlier" }));
  expect(ready()).toHaveLength(2);
  expect(statSync(join(readyDir(), ready().find((name) => name.endsWith("start.json"))!)).mode & 0o777).toBe(
    0o600,
  );
});

it("has the notes and decisions about each file, with who said them", async () => {
  await makeReady(project);
  const { files } = readReady(join(project.root, "src"), "edits")!.ready;
  expect(Object.keys(files)).toEqual(["src/a.ts"]);
  expect(files["src/a.ts"]).toMatchObject([{ session: "earlier", why: "about src/a.ts" }]);
  expect(textOf(files["src/a.ts"]!)).toBe(await asked({ event: "post-tool-use", files: ["src/a.ts"] }));
});

it("is not read when what it was made from has changed", async () => {
  const changes: Record<string, () => void> = {
    HEAD: () => writeFileSync(join(project.root, ".git", "HEAD"), "ref: refs/heads/another\n"),
    settings: () => setConfig(project, "context.deadline_ms", "300", { global: false }),
    "what a person said": () => dropReady(project),
  };
  for (const [name, change] of Object.entries(changes)) {
    await makeReady(project);
    expect([name, atStart()?.isBehind]).toEqual([name, false]);
    const state = describeReadySources(project);
    change();
    expect([name, atStart()]).toEqual([name, null]);
    expect(describeReadySources(project)).not.toBe(state);
  }
  expect(ready()).toEqual([]);
});

it("is behind when the memory has changed, and too old after a while", async () => {
  await makeReady(project);
  changeMemory(project, (memory) => addNote(memory, "a later one"));
  const later = new Date(Date.now() + 1000);
  utimesSync(project.memoryDb, later, later);
  expect(atStart()).toMatchObject({ isBehind: true });
  expect(readReady(project.root, "start", Date.now() + 3_600_000)).toBeNull();
  await makeReady(project);
  expect(atStart()).toMatchObject({ isBehind: false });
  expect(textOf(atStart()!.ready.start)).toContain("a later one");
  expect(readReady(project.root, "start", Date.now() + 3_600_000)).not.toBeNull();
});

it("is a checkout's own", async () => {
  await makeReady(project);
  expect(readReady(join(project.root, "src"), "start")).toMatchObject({ ready: { root: project.root } });
  const inner = join(project.root, "vendor", "other");
  writeFileSync(join(project.root, "src", ".git"), "gitdir: elsewhere\n");
  expect(readReady(join(project.root, "src"), "start")).toBeNull();
  expect(readReady(inner, "start")).toMatchObject({ ready: { root: project.root } });
  expect(readReady(home.dir, "start")).toBeNull();
});

it("is not there where nothing is to be told", async () => {
  await makeReady(project);
  setConfig(project, "context.mode", "off", { global: false });
  await makeReady(project);
  expect(ready()).toEqual([]);
});

it("is not there in an encrypted home", async () => {
  await makeReady(project);
  expect(ready()).toHaveLength(2);
  encryptHome(`file:${join(home.dir, "our.key")}`, { backups: [] });
  expect(ready()).toEqual([]);
  await makeReady(project);
  expect(ready()).toEqual([]);
});

it("counts as injected when a hook has told it", async () => {
  const items = [{ ref: "note:n1", why: "a note", score: null }];
  changeMemory(project, () => {});
  const item = { kind: "given-context", received_at: 5, place: project.root, session_id: "new" } as const;
  const about = { call_id: "toolu_1", decision: "deny" } as const;
  const { Memory } = await import("../../store/memory/memory.ts");
  const memory = Memory.open(project.memoryDb, { readonly: false });
  await recordGiven(project, memory, { ...item, event: "session-start", took_ms: 7, text: "a text", items });
  const beforeCall = { ...item, ...about, received_at: 4, event: "pre-tool-use" } as const;
  await recordGiven(project, memory, { ...beforeCall, took_ms: 1, text: "a text", items });
  memory.close();
  const [told, decided] = await withMemory(project, (stored) => listInjections(stored, { limit: 5 }));
  expect(told).toMatchObject({
    sessionUid: "new",
    event: "session-start",
    at: 5,
    tookMs: 7,
    reason: "a note",
    callId: null,
    decision: null,
    items,
  });
  expect(decided).toMatchObject({ callId: "toolu_1", decision: "deny" });
});
