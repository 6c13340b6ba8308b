import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { canariesIn, canary, canaryTexts } from "../../test/support/canary.ts";
import {
  type Repository,
  rememberSession,
  temporaryRepository,
} from "../../test/support/checkpoint-fixture.ts";
import { temporaryWork } from "../../test/support/memory-work-fixture.ts";
import { recordCommit } from "../attribution/checkpoints/record-commit.ts";
import { readForeignNotes } from "../attribution/foreign/foreign-notes.ts";
import { payloadKinds } from "../protocol/hooks.ts";
import { createScrubber } from "../redact/create-scrubber.ts";
import { createEvent } from "../sessions/events/change-event.ts";
import { addNote } from "../sessions/notes/add-note.ts";
import type { ScrubbingWork } from "../sessions/work.ts";
import { exportNote } from "../sync/records/from-memory.ts";
import { importNote } from "../sync/records/to-memory.ts";
import { makeAgentHookHandler } from "./hook-events.ts";

/** Doors besides transcripts (agent-contract.ts) through which texts come into a memory, each with a secret in every field. */

const scrubber = createScrubber({ globalFile: "", projectFile: null, pii: false });

let repo: Repository;
let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  repo = temporaryRepository();
  stage = temporaryWork({ scrubber });
});
afterEach(() => {
  repo.remove();
  stage.remove();
});

const secretTexts = canaryTexts("fix");

it("finds a canary where one is stored", () => {
  rememberSession(repo.memory, "s", [`use ${canary.token}`]);
  expect(canariesIn(repo.memory)).toEqual(
    expect.arrayContaining([`turns.prompt: ${canary.token}`, `turns.content: ${canary.token}`]),
  );
});

it("no field of a hook's payload leaves a secret", async () => {
  const handle = makeAgentHookHandler({
    work: { captures: true, memory: stage.memory, readOn: vi.fn() },
    scrubbing: () => stage.work,
    roots: () => ["/repo"],
    onTranscript: () => {},
    stop: new AbortController().signal,
  });
  for (const event of ["session-start", "user-prompt", "session-end"] as const)
    for (const field of [...Object.keys(payloadKinds), "prompt"])
      for (const text of secretTexts) {
        const own = { session_id: "s", cwd: "/repo", prompt: "Note to Pommel: keep it" };
        const given =
          field === "cwd" ? `/repo/${text}` : field === "prompt" ? `Note to Pommel: ${text}` : text;
        const payload = { ...own, [field]: given };
        // What is no id at all is refused.
        await handle({ kind: "agent-hook", event, received_at: 1, place: "/repo", payload }).catch(() => {});
      }
  expect(stage.memory.all("SELECT uid FROM sessions").length).toBeGreaterThan(1);
  expect(canariesIn(stage.memory)).toEqual([]);
});

it("no field of a note or an event leaves a secret", async () => {
  for (const text of secretTexts) {
    await addNote(stage.work, { by: "person", note: text, sessionUid: text, branch: text });
    await addNote(stage.work, { by: "agent", note: "a", sessionUid: "s", agent: "claude", branch: text });
    createEvent(stage.work, { title: text, description: text, branch: text });
    createEvent(stage.work, { title: null, branch: `feature/${text}` });
  }
  expect(canariesIn(stage.memory)).toEqual([]);
});

it("no field of a commit leaves a secret", async () => {
  repo.work.scrubber = scrubber;
  rememberSession(repo.memory, "one", ["make it"]);
  for (const text of secretTexts) {
    repo.git("config", "user.name", text);
    repo.git("config", "user.email", `${text}@example.com`);
    const hash = repo.commit(`${text}\n\n${text}`, { [`keys/${text}`]: "x // one:1\n" });
    await recordCommit(repo.work, hash, { seen: "hook", branch: text });
  }
  expect(canariesIn(repo.memory)).toEqual([]);
});

it("no field of what other tools write about a commit leaves a secret", async () => {
  repo.work.scrubber = scrubber;
  for (const text of secretTexts) {
    const trailers = [
      `Co-authored-by: ${text} <noreply@anthropic.com>`,
      `Co-authored-by: aider (${text}) <noreply@aider.chat>`,
      `Entire-Session: 2026-01-05-${text}`,
      "Entire-Checkpoint: 00c9e2351016",
    ];
    const hash = repo.commit(`Make it\n\n${trailers.join("\n")}`, {
      "src/a.ts": `made(${secretTexts.indexOf(text)});\n`,
    });
    const session = `s_${"a".repeat(14)}`;
    const human = `h_${"b".repeat(14)}`;
    const metadata = {
      schema_version: "authorship/3.0.0",
      prompts: { abcd1234abcd1234: { agent_id: { tool: text, id: text, model: text } } },
      sessions: { [session]: { agent_id: { tool: "claude", id: text, model: text } } },
      humans: { [human]: { author: text } },
    };
    const lines = [
      "src/a.ts",
      `  ${session}::t_${text} 1`,
      "  abcd1234abcd1234 1",
      `  ${human} 1`,
      `"keys/${text}"`,
      `  ${session} 1`,
    ];
    repo.git(
      "notes",
      "--ref=ai",
      "add",
      "-f",
      "-m",
      `${lines.join("\n")}\n---\n${JSON.stringify(metadata)}`,
      hash,
    );
    expect((await readForeignNotes(repo.root, [hash])).get(hash)).toMatchObject({
      tools: expect.arrayContaining([expect.anything()]),
      lines: expect.arrayContaining([expect.anything()]),
    });
    await recordCommit(repo.work, hash, { seen: "hook", branch: "main" });
  }
  expect(repo.memory.all("SELECT hash FROM commits").length).toBeGreaterThanOrEqual(secretTexts.length);
  expect(canariesIn(repo.memory)).toEqual([]);
});

it("no field of a note from the shared branch leaves a secret", async () => {
  const other = temporaryWork({ scrubber });
  const exporting = (work: ScrubbingWork) => ({ work, filter: true, me: "ann" });
  const note = await addNote(other.work, { by: "person", note: "Released", branch: "main" });
  const record = exportNote(exporting(other.work), note.uid)!;
  for (const [i, text] of secretTexts.entries())
    for (const field of ["note", "branch", "author"] as const)
      await importNote(exporting(stage.work), { ...record, uid: `${field}${i}`, [field]: text });
  expect(canariesIn(stage.memory)).toEqual([]);
  other.remove();
});
