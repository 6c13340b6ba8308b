import { afterEach, beforeEach, expect, it } from "vitest";
import { addSession, temporaryMemory, turn } from "../../../test/support/memory-fixture.ts";
import { saveCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import { saveCommit } from "../../store/memory/commits/commits.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { saveTurn } from "../../store/memory/sessions/turns.ts";
import { retitleByCommits } from "./retitle.ts";

let store: ReturnType<typeof temporaryMemory>;
beforeEach(() => {
  store = temporaryMemory();
});
afterEach(() => store.remove());

function committed(uid: string, subject: string, confidence: number): void {
  const hash = uid.padStart(40, "c");
  const { id } = saveCommit(
    store.memory,
    {
      hash,
      tree: hash,
      parents: [],
      branch: "main",
      author: "Ann",
      subject,
      authoredAt: 1,
      committedAt: 1,
      insertions: 1,
      deletions: 0,
      seen: "hook",
      attributed: 1,
      patchId: null,
      rewrittenFrom: [],
    },
    [],
  );
  saveCheckpoint(store.memory, {
    uid: hash.slice(-12),
    commitId: id,
    parentUid: null,
    agentState: {},
    createdAt: 1,
    sessions: [{ sessionUid: uid, turns: [1], lines: 3, how: "lines", confidence }],
  });
}

function titled(uid: string, source: "prompt" | "agent", asked = "why is it slow?"): void {
  const { id } = addSession(store.memory, uid, { title: { text: "Why is it slow", source } });
  saveTurn(store.memory, id, turn(1, { prompt: asked }));
}

it("calls a session after its commit, unless an agent or a plan named it, or the commit may be another's", () => {
  titled("ours", "prompt");
  titled("agents", "agent");
  titled("planned", "prompt", "Implement the following plan:\n# Cache the answers");
  titled("unsure", "prompt");
  for (const uid of ["ours", "agents", "planned"]) committed(uid, "Cache answers of the search index", 1);
  committed("unsure", "Cache answers of the search index", 0.5);
  retitleByCommits(store.memory);
  const titles = ["ours", "agents", "planned", "unsure"].map(
    (uid) => findSessionByUid(store.memory, uid)?.title,
  );
  expect(titles).toEqual([
    "Cache answers of the search index",
    "Why is it slow",
    "Why is it slow",
    "Why is it slow",
  ]);
});
