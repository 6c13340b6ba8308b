import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addCheckpoint, binding } from "../../../test/support/checkpoint-rows-fixture.ts";
import { addSession, chunk, deciding, turn } from "../../../test/support/memory-fixture.ts";
import { addRuns, failed } from "../../../test/support/runs-fixture.ts";
import { toldProject } from "../../../test/support/told-project.ts";
import { fixtureStart, ran } from "../../../test/support/turn-fixture.ts";
import type { Project } from "../../base/paths.ts";
import { dayMs } from "../../base/text/day.ts";
import { replaceChunks } from "../../store/memory/chunks/chunks.ts";
import { Memory } from "../../store/memory/memory.ts";
import { packContent } from "../../store/memory/sessions/content.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { recall } from "./answer.ts";
import type { RecallRequest } from "./operation.ts";

let dir: string;
let project: Project;
let memory: Memory;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "pommel-recall-")));
  project = toldProject(join(dir, "shop"));
  memory = Memory.open(project.memoryDb, { readonly: false });
});
afterEach(() => {
  memory.close();
  rmSync(dir, { recursive: true, force: true });
});

const ask = (request: RecallRequest) => recall({ project, memory }, request, {});
const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000;

function remember(uid: string, prompt: string, reply: string, minutes: number, branch = "retries") {
  const at = minutesAgo(minutes);
  const { id } = addSession(memory, uid, { branch, startedAt: at, lastAt: at });
  const content = packContent([
    { uid: `${uid}-1`, seq: 1, at, entries: [{ kind: "prompt", text: prompt, images: 0 }] },
    { uid: `${uid}-2`, seq: 2, at, entries: [{ kind: "text", text: reply }] },
  ]);
  saveTurn(memory, id, turn(1, { startedAt: at, endedAt: at, branch, prompt, content }));
  const text = `[USER] ${prompt}\n[ASSISTANT] ${reply}`;
  replaceChunks(memory, id, { type: "raw", from: 0 }, [
    chunk(0, text, { session: uid, startedAt: at, endedAt: at, branch, ...deciding(text) }),
  ]);
}

it("a decision comes with what the user said later that may take it back, as a quotation", async () => {
  remember("later000", "Please don't retry three times for now, the server bans us.", "I take it out.", 5);
  const { claims, verdict } = await ask({ about: "retry three times", kind: ["decision"] });
  expect(verdict).toBe("found");
  const earlier = claims.find(({ id }) => id === "earlier:1");
  expect(earlier).toMatchObject({ kind: "decided" });
  expect(earlier!.standing.join()).toMatch(/^later the user: “Please don't retry three times.*later000:1$/);
});

it("a decision about something else is none about this", async () => {
  expect((await ask({ about: "the colour of the button", kind: ["decision"] })).claims).toEqual([]);
});

it("notes are found by their words, and not by those of others", async () => {
  const { claims } = await ask({ about: "on which day are releases cut", kind: ["decision"] });
  expect(claims).toMatchObject([{ kind: "noted", text: "releases are cut on Fridays" }]);
});

it("said by the user are sentences of prompts, the best first, and nothing of the agent", async () => {
  remember("said0000", "Look at it. Never push the ledger without asking me.", "I never push the ledger.", 5);
  const { claims } = await ask({ about: "push the ledger", said_by: "user" });
  expect(claims).toMatchObject([
    { kind: "said", by: "user", text: "Never push the ledger without asking me.", id: "said0000:1" },
  ]);
});

it("without a question it is where work on the branch stopped, without the session that asks", async () => {
  remember("last0000", "Add jitter to the retry of the importer.", "Jitter is in. Shall I push it?", 5);
  remember("asking00", "Go on with what was last, please.", "I ask.", 1);
  const { state, claims } = await ask({ asked_by: "asking00" });
  expect(claims).toEqual([]);
  expect(state).toMatchObject({
    branch: "retries",
    session_id: "last0000",
    turn: 1,
    author: null,
    asked: "Add jitter to the retry of the importer.",
    said: "Jitter is in. Shall I push it?",
    ended: null,
  });
});

it("without the sessions that are at work, where the client does not say which one asks", async () => {
  remember("last0000", "Add jitter to the retry of the importer.", "Jitter is in. Shall I push it?", 5);
  const { id } = addSession(memory, "asking00", {
    branch: "retries",
    startedAt: minutesAgo(1),
    lastAt: minutesAgo(1),
  });
  const asked = { branch: "retries", prompt: "Go on with what was last, please.", startedAt: minutesAgo(1) };
  saveTurn(memory, id, turn(1, { ...asked, endedAt: minutesAgo(1), state: "unfinished" }));
  const askFor = async (asked_by: string | undefined) => (await ask({ asked_by })).state?.session_id;
  expect(await askFor(undefined)).toBe("asking00");
  expect(await askFor("current")).toBe("last0000");
});

it("files are answered with the sessions that touched them", async () => {
  const { claims } = await ask({ file: ["src/a.ts"] });
  expect(claims.map(({ id }) => id)).toContain("earlier:1");
  expect((await ask({ file: ["src/other.ts"] })).claims).toEqual([]);
});

it("an id is read, also where it stands for the question", async () => {
  remember("5f0c3a21", "Add jitter to the retry.", "Jitter is in.", 5);
  for (const request of [{ id: "5f0c3a21:1" }, { about: "5f0c3a21:1" }]) {
    const { read } = await ask(request);
    expect(read).toMatchObject({ session_id: "5f0c3a21", turn: 1, turns_total: 1 });
    expect(read!.turns[0]!.words).toEqual([
      { by: "user", text: "Add jitter to the retry." },
      { by: "agent", text: "Jitter is in." },
    ]);
  }
  await expect(ask({ id: "5f0c3a21:9" })).rejects.toThrow("has no turn 9");
  await expect(ask({ id: "nobody00" })).rejects.toThrow("nobody00");
});

/** A session of several turns: what was asked and what the agent said. */
function converse(
  uid: string,
  turns: readonly (readonly [asked: string, said: string])[],
  parentId?: number,
) {
  const at = minutesAgo(60);
  const { id } = addSession(memory, uid, { startedAt: at, lastAt: at, ...(parentId && { parentId }) });
  const chunks = turns.map(([asked, said], i) => {
    const number = i + 1;
    const content = packContent([
      { uid: `${uid}-${number}a`, seq: 2 * i, at, entries: [{ kind: "prompt", text: asked, images: 0 }] },
      { uid: `${uid}-${number}b`, seq: 2 * i + 1, at, entries: [{ kind: "text", text: said }] },
    ]);
    saveTurn(memory, id, turn(number, { startedAt: at + i, endedAt: at + i, prompt: asked, content }));
    return chunk(i, `[USER] ${asked}\n[ASSISTANT] ${said}`, { session: uid, startedAt: at + i });
  });
  replaceChunks(memory, id, { type: "raw", from: 0 }, chunks);
  return id;
}
const recallAttempts = async (about: string) => (await ask({ about, kind: ["attempt"] })).claims;

it("tells what the person answered to what an agent said, in the sentence that says most, if it is no claim itself", async () => {
  const asked = (what: string) => `How does the second factor work with a wallet login ${what}?`;
  const said = "The second factor of a wallet login is not in the plans.";
  converse("wallets0", [
    [asked("here"), said],
    [asked("on a phone"), said],
    [asked("in a browser"), said],
    ["I see. Sign in at our own server.", "Then it gives out the token."],
  ]);
  const claims = await recallAttempts("how does the second factor work with a wallet login");
  expect(claims).toHaveLength(3);
  expect(claims.find(({ id }) => id === "wallets0:3")).toMatchObject({
    kind: "asked",
    by: "user",
    standing: ["then the user: “Sign in at our own server.”"],
  });
  expect(claims.find(({ id }) => id === "wallets0:1")!.standing).toEqual([]);
});

it("does not take an agent's question for a result, and says a sentence that points back with the one before", async () => {
  converse("plugin00", [
    [
      "The commands of the plugin do not appear in the editor",
      "The editor looks for the field main of the plugin. Without it the plugin is never loaded. Shall the commands of the plugin be renamed?",
    ],
  ]);
  const [claim] = await recallAttempts("commands of the plugin do not appear in the editor");
  expect(claim!.outcome).toBe(
    "The editor looks for the field main of the plugin. Without it the plugin is never loaded.",
  );
});

it("tells several turns of one session, and the prompts of a subagent as an agent's", async () => {
  const id = converse("versions", [
    ["Do the manifests need another version?", "Yes, the version of the manifests is 0.1.0 by now."],
    [
      "Take version 0.3.0 for the manifests, since somebody merges 0.2.0",
      "The manifests have version 0.3.0 now.",
    ],
  ]);
  converse(
    "reviewer",
    [["Review the version of the manifests", "The version of the manifests is consistent."]],
    id,
  );
  const claims = await recallAttempts("which version did the manifests get");
  expect(claims.map(({ id }) => id)).toEqual(expect.arrayContaining(["versions:1", "versions:2"]));
  for (const { id, by } of claims) expect(by).toBe(id!.startsWith("reviewer") ? "claude" : "user");
});

it("names a commit beside the turn that led to it, and beside no other turn of the same passage", async () => {
  const asked = ["Which wait do the workers take, a fixed one?", "Take jitter for the wait of the workers"];
  const said = ["A fixed wait of the workers is two seconds.", "The wait of the workers has jitter now."];
  const id = converse("waits000", [
    [asked[0]!, said[0]!],
    [asked[1]!, said[1]!],
  ]);
  const whole = asked.map((one, i) => `[USER] ${one}\n[ASSISTANT] ${said[i]}`).join("\n");
  replaceChunks(memory, id, { type: "raw", from: 0 }, [
    chunk(0, whole, { session: "waits000", firstTurn: 1, lastTurn: 2 }),
  ]);
  addCheckpoint(memory, "c1", "5a24d042", [binding("waits000", [2])]);
  const claims = await recallAttempts("a fixed wait of the workers or jitter");
  expect(claims.map((one) => [one.id, one.standing.join().match(/commit \w+/)?.[0]]).sort()).toEqual([
    ["waits000:1", undefined],
    ["waits000:2", "commit 5a24d042"],
  ]);
});

it("finds a person's short reply by what it answers", async () => {
  converse("header00", [
    ["Print a header above the response", "The header is printed above each response, also on errors."],
    ["only the first response and not on errors", "Done."],
  ]);
  const { claims } = await ask({ about: "print the header on errors", said_by: "user" });
  expect(claims.map(({ text }) => text)).toContain("only the first response and not on errors");
});

it("what agents ran answers only of the time that is asked about, and not what the user said", async () => {
  const error = "undefined: openStore";
  addRuns(
    memory,
    project.root,
    "runs0000",
    0,
    ran("go test ./store", `Exit code 1\nsrc/a.go:3:2: ${error}`, failed),
    ran("go test ./store", "ok"),
  );
  const kindsOf = async (request: RecallRequest) => (await ask(request)).claims.map(({ kind }) => kind);
  const [before, after] = [new Date(fixtureStart - 1), new Date(fixtureStart + dayMs)].map((at) =>
    at.toISOString(),
  );
  const fixes = { about: error, kind: ["fix" as const] };
  expect(await kindsOf(fixes)).toEqual(["met"]);
  expect(await kindsOf({ ...fixes, since: before })).toEqual(["met"]);
  expect(await kindsOf({ ...fixes, since: after })).toEqual([]);
  expect(await kindsOf({ ...fixes, until: before })).toEqual([]);
  expect(await kindsOf({ ...fixes, said_by: "user" })).toEqual([]);
  const commands = { about: "go test", kind: ["command" as const] };
  expect(await kindsOf(commands)).toEqual(["ran"]);
  expect(await kindsOf({ ...commands, since: after })).toEqual([]);
});
