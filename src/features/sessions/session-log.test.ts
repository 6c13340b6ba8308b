import { mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { atifTrajectory } from "../../../test/support/atif-schema.ts";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { edited, prompt, text } from "../../../test/support/turn-fixture.ts";
import { atif } from "../../agents/atif/atif.ts";
import { shareOpenMemory } from "../../answers/open.ts";
import { makeNewProject, type Project } from "../../base/paths.ts";
import { createScrubber } from "../../redact/create-scrubber.ts";
import { forgetNow } from "../../sessions/forget/forget.ts";
import { previewImport } from "../../sessions/ingest/import-preview.ts";
import { ingestTranscript } from "../../sessions/ingest/ingest.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { findSession, listSessions } from "../../store/memory/sessions/sessions.ts";
import { exportTrajectory } from "./session-log.ts";

const secret = `ghp_${"a1B2".repeat(9)}`;
const at = (second: number) => new Date(Date.UTC(2026, 2, 2, 9, 0, second)).toISOString();
const steps = [
  { step_id: 1, timestamp: at(0), source: "user", message: `Use the token ${secret} for the cart` },
  {
    step_id: 2,
    timestamp: at(5),
    source: "agent",
    message: "It is in there.",
    model_name: "m",
    tool_calls: [
      {
        tool_call_id: "c1",
        function_name: "write",
        arguments: { path: "cart.ts", content: `const t = "${secret}";\n` },
      },
    ],
    observation: { results: [{ source_call_id: "c1", content: "written" }] },
  },
  { step_id: 3, timestamp: at(9), source: "agent", message: "Done." },
];
const written = {
  schema_version: "ATIF-v1.7",
  session_id: "one",
  steps,
  extra: { cwd: "/app" },
  agent: { name: "other", version: "1" },
};

let stores: ReturnType<typeof temporaryWork>[];
/** What another memory would write of a trajectory that it imported. */
async function through(trajectory: object) {
  const store = temporaryWork({
    scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
  });
  stores.push(store);
  const dir = mkdtempSync(join(tmpdir(), "pommel-atif-"));
  const file = join(dir, "run.json");
  writeFileSync(file, JSON.stringify(trajectory));
  await ingestTranscript({ ...store.work, root: "/app", agent: atif }, file);
  return sharing(makeNewProject(dir), store.work.memory, (project) =>
    exportTrajectory(project, "one@atif", (text) => text),
  );
}

/** Asks an open memory, as that of a project. */
async function sharing<T>(
  project: Project,
  memory: Memory,
  ask: (project: Project) => Promise<T>,
): Promise<T> {
  const release = shareOpenMemory(project.memoryDb, {
    memoryIfAny: memory,
    suspect: () => {},
    readNow: async () => {},
  } as unknown as Parameters<typeof shareOpenMemory>[1]);
  try {
    return await ask(project);
  } finally {
    release();
  }
}

beforeEach(() => {
  stores = [];
});
afterEach(() => {
  for (const store of stores) store.remove();
});

it("a trajectory is stored without its secrets, and what is written of it is the same after another import", async () => {
  const first = await through(written);
  expect(atifTrajectory.safeParse(first).error?.issues ?? []).toEqual([]);
  expect(first).toMatchObject({ session_id: "one", agent: { name: "atif" }, extra: { cwd: "/app" } });
  expect(JSON.stringify(first)).not.toContain(secret);
  expect(first.steps.map(({ source, message, timestamp }) => [source, message, timestamp])).toEqual([
    ["user", "Use the token [REDACTED_GITHUB_TOKEN] for the cart", at(0)],
    ["agent", "It is in there.", at(5)],
    ["agent", "Done.", at(9)],
  ]);
  expect(first.steps[1]!.tool_calls![0]).toMatchObject({
    arguments: { content: 'const t = "[REDACTED_GITHUB_TOKEN]";\n' },
    extra: { pommel: { action: "write" } },
  });
  expect(await through(first)).toEqual(first);
});

describe("an export of a session that is stored here, imported again", () => {
  let store: ReturnType<typeof temporaryWork>;
  let file: string;
  const session = ["s-1", "claude"] as const;

  beforeEach(async () => {
    store = temporaryWork();
    stores.push(store);
    await store.store(session[0], prompt("Fix the cart"), edited("/repo/cart.ts", "a", "b"), text("Done."));
    file = join(realpathSync(mkdtempSync(join(tmpdir(), "pommel-atif-"))), "chat.json");
    write(await exported());
  });
  const exported = () =>
    sharing(makeNewProject("/repo"), store.work.memory, (project) =>
      exportTrajectory(project, "s-1", (of) => of),
    );
  const write = (trajectory: object) => writeFileSync(file, JSON.stringify(trajectory));
  const read = () => ingestTranscript({ ...store.work, agent: atif }, file);
  const preview = () =>
    previewImport({
      agent: atif,
      places: [file],
      memory: store.work.memory,
      roots: null,
      since: null,
    });
  const uids = () => listSessions(store.work.memory).map(({ uid }) => uid);

  it("is there already", async () => {
    expect(await preview()).toMatchObject({ files: [], imported: { sessions: 1 } });
    expect(await read()).toMatchObject({ session: null, lines: 0 });
    expect(uids()).toEqual(["s-1"]);
  });

  it("is there already under another name as well, known by its times", async () => {
    write({ ...(await exported()), session_id: "renamed" });
    await read();
    expect(uids()).toEqual(["s-1"]);
  });

  it("stays forgotten where that was", async () => {
    await forgetNow(store.work, { session: "s-1" });
    await read();
    expect(uids()).toEqual([]);
  });

  it.each([
    ["goes on where the stored one ends", true, {}],
    ["is another agent's", false, { agent: { name: "other", version: "1" } }],
  ])("is imported where it %s; each can be named by its whole id", async (_, goesOn, more) => {
    const trajectory = await exported();
    const later = {
      step_id: 99,
      timestamp: new Date(Date.now()).toISOString(),
      source: "user",
      message: "more",
    };
    write({ ...trajectory, steps: [...trajectory.steps, ...(goesOn ? [later] : [])], ...more });
    expect(await preview()).toMatchObject({ sessions: 1 });
    await read();
    expect(uids().sort()).toEqual(["s-1", "s-1@atif"]);
    for (const uid of uids()) expect(findSession(store.work.memory, uid).uid).toBe(uid);
    expect(() => findSession(store.work.memory, "s-")).toThrow(expect.objectContaining({ code: "usage" }));
  });
});
