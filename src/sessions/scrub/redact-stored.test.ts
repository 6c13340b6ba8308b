import { afterEach, beforeEach, expect, it } from "vitest";
import { addCheckpoint, addCommit, binding } from "../../../test/support/checkpoint-rows-fixture.ts";
import { temporaryMemory } from "../../../test/support/memory-fixture.ts";
import { fakeScrubber, temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { findCheckpointByUid } from "../../store/memory/commits/checkpoints.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { forgetNow, previewForget } from "../forget/forget.ts";
import { readCheckpointTexts, redactCheckpoints } from "./redact-stored.ts";
import { rescrubMemory } from "./rescrub.ts";

let memory: Memory;
let remove: () => void;
beforeEach(() => {
  ({ memory, remove } = temporaryMemory());
});
afterEach(() => remove());

const clean = (text: string) => text.replaceAll("Falcon", "[GONE]");

it("redacts subjects, branches and the state of agents", async () => {
  const agentState = { s: { title: "Project Falcon", todos: [{ text: "name it Falcon", status: "x" }] } };
  addCheckpoint(memory, "a", "1", [binding("s", [1])], {
    subject: "Begin Falcon",
    branch: "Falcon/one",
    agentState,
  });
  for (let i = 0; i < 600; i++) addCommit(memory, `c${i}`);
  addCommit(memory, "2", { subject: "Falcon again", branch: null });
  const texts: string[] = [];
  readCheckpointTexts(memory, (text) => texts.push(text));
  expect(texts.filter((text) => text.includes("Falcon"))).toHaveLength(5);
  expect(await redactCheckpoints(memory, clean)).toBe(true);
  expect(findCheckpointByUid(memory, "a")).toMatchObject({
    commit: { subject: "Begin [GONE]", branch: "[GONE]/one" },
    agentState: { s: { title: "Project [GONE]", todos: [{ text: "name it [GONE]", status: "x" }] } },
  });
  expect(findCommitByHash(memory, "2")?.subject).toBe("[GONE] again");
  expect(await redactCheckpoints(memory, clean)).toBe(false);
});

it("reaches them when a pattern is forgotten, and when there are new rules", async () => {
  const { work, remove: removeWork } = temporaryWork({ scrubber: fakeScrubber("strict", /hunter\d\d/g) });
  const agentState = { s: { said: "the name is Falcon, the key is hunter22" } };
  addCheckpoint(work.memory, "a", "1", [binding("s", [1])], {
    subject: "Falcon with hunter11, hunter33 and hunter11",
    agentState,
  });
  expect(await previewForget(work.memory, { pattern: "Falcon" })).toMatchObject({ matches: 2, sessions: 0 });
  await forgetNow(work, { pattern: "Falcon" });
  await rescrubMemory(work);
  expect(findCheckpointByUid(work.memory, "a")).toMatchObject({
    commit: { subject: "[FORGOTTEN] with [REDACTED_WORD], [REDACTED_WORD_2] and [REDACTED_WORD]" },
    agentState: { s: { said: "the name is [FORGOTTEN], the key is [REDACTED_WORD]" } },
  });
  removeWork();
});

it("stops when it is aborted", async () => {
  addCommit(memory, "1", { subject: "Falcon" });
  await expect(redactCheckpoints(memory, clean, AbortSignal.abort())).rejects.toThrow();
  expect(findCommitByHash(memory, "1")?.subject).toBe("Falcon");
});
