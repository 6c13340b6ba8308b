import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CopilotFixture, copilotSession, cwd } from "../../../test/support/copilot-fixture.ts";
import { copilot } from "../../agents/copilot/copilot.ts";
import { silentLog } from "../../base/log.ts";
import { createScrubber } from "../../redact/create-scrubber.ts";
import { Memory } from "../../store/memory/memory.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { buildKindRules } from "../chunks/kinds.ts";
import { ingestTranscript } from "./ingest.ts";

let home: string;
let memory: Memory;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pommel-copilot-"));
  memory = Memory.open(join(home, "memory.db"), { readonly: false });
});
afterEach(() => {
  memory.close();
  rmSync(home, { recursive: true, force: true });
});

function ingest(id: string, session: CopilotFixture) {
  const file = join(home, "session-state", id, "events.jsonl");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, session.text());
  return ingestTranscript(
    {
      memory,
      agent: copilot,
      scrubber: createScrubber({ globalFile: "", projectFile: null, pii: false }),
      ledgerKey: Buffer.alloc(32, 7),
      embedder: null,
      chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: buildKindRules() },
      maxChunks: 0,
      root: cwd,
      worktrees: [],
      log: silentLog,
    },
    file,
  );
}

const turns = (id: string) =>
  listTurns(memory, findSessionByUid(memory, id)!.id).map(({ prompt, abandoned }) => ({ prompt, abandoned }));

it("keeps turns that a rewind removed from the file, as abandoned", async () => {
  const s = copilotSession("a");
  s.prompt("one");
  s.answer("first");
  s.prompt("two");
  s.answer("second");
  await ingest("a", s);
  s.events.splice(-2);
  s.add("session.info", { infoType: "rewind", message: "Rewound the conversation." });
  s.prompt("three");
  s.answer("third");
  await ingest("a", s);
  expect(turns("a")).toEqual([
    { prompt: "one", abandoned: false },
    { prompt: "two", abandoned: true },
    { prompt: "three", abandoned: false },
  ]);
});

it("stores what a fork copied once, and knows its origin", async () => {
  const s = copilotSession("a");
  s.prompt("one");
  s.answer("first");
  await ingest("a", s);
  const forked = copilotSession("b");
  forked.events.splice(1, 0, ...s.events.slice(1));
  forked.prompt("and here?");
  expect((await ingest("b", forked)).lines).toBe(1);
  expect(turns("b")).toEqual([{ prompt: "and here?", abandoned: false }]);
  expect(findSessionByUid(memory, "b")?.forkedFrom).toBe(findSessionByUid(memory, "a")!.id);
});
