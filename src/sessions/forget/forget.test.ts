import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { temporaryHome } from "../../../test/support/temporary-home.ts";
import {
  edited,
  fixtureStart,
  pause,
  prompt,
  ran,
  summary,
  text,
  used,
} from "../../../test/support/turn-fixture.ts";
import { allChunks } from "../../store/memory/chunks/chunk-filter.ts";
import { matchSessionTokens } from "../../store/memory/chunks/chunk-lookup.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { findSessionByUid, listSessions, saveSession } from "../../store/memory/sessions/sessions.ts";
import { findKnownLines, saveTranscript } from "../../store/memory/sessions/transcripts.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { findKeptFile, keepFile } from "../../store/vault/vault.ts";
import { addNote } from "../notes/add-note.ts";
import { sumUpSession } from "../summaries/sum-up.ts";
import { forgetNow, previewForget } from "./forget.ts";
import { createPatternCutter } from "./forget-pattern.ts";

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => stage.remove());

/** A word that occurs nowhere else; of letters, as one word to the index. */
const word = `zq${"mnbvcx".repeat(3)}xv`;
const matching = (token: string) =>
  matchSessionTokens(stage.memory, [token], { prompt: 1, answer: 1, actions: 1, errors: 1 }, 100, allChunks)
    .length;
const more = "More was said about the parser and its tokens. ".repeat(20);

/** Three turns, the second of which says the word. */
async function threeTurns(uid = "s") {
  const { id } = await stage.store(
    uid,
    prompt(`How does the parser read a flag? ${more}`),
    text(`It looks it up. ${more}`),
    pause(10),
    prompt(`Now let's talk about ${word}\nNote to Pommel: remember ${word}`),
    ran(`grep ${word} src`, `src/a.ts: ${word}`),
    text(`We decided to use ${word}. ${more}`),
    pause(10),
    prompt(`Moving on: write the docs of it\nNote to Pommel: docs are next`),
    summary(`Summary:\nThe parser was read, and ${word} was decided on.`),
    edited("/repo/docs/flags.md", "old", "new"),
    text(`The docs are written. ${more}`),
  );
  await sumUpSession({ ...stage.work, llm: null }, uid);
  return id;
}

describe("forgetting a turn", () => {
  it("leaves no trace of it, also not in later summaries by the agent, and keeps the rest", async () => {
    const id = await threeTurns();
    const before = stage.chunkTexts(id).filter(({ type }) => type === "raw");
    expect(matching(word)).toBeGreaterThan(2);
    const preview = await previewForget(stage.memory, { turn: "s:2" });
    expect(preview).toMatchObject({ sessions: 0, turns: 1, annotations: 1, matches: 0 });
    expect(preview.examples[0]).toMatch(/^s:2 {2}Now let's talk about/);
    expect(matching(word)).toBeGreaterThan(2);

    const report = await forgetNow(stage.work, { turn: "s:2" });
    expect(report).toMatchObject({ ...preview, isLogEmpty: true });
    expect(stage.everything()).not.toContain(word);
    expect(matching(word)).toBe(0);
    expect(listTurns(stage.memory, id).map(({ number }) => number)).toEqual([1, 3]);
    expect(listStoredNotes(stage.memory).map(({ note }) => note)).toEqual(["docs are next"]);
    const after = stage.chunkTexts(id);
    const raw = after.filter(({ type }) => type === "raw");
    expect(raw.map(({ position }) => position)).toEqual(raw.map((_, i) => i));
    expect(raw.map(({ text: said }) => said)).toEqual(
      before.filter(({ firstTurn }) => firstTurn !== 2).map(({ text: said }) => said),
    );
    // The note of the third turn may have taken from the second.
    expect(after.find(({ type }) => type === "annotated")?.text).toMatch(/^\[NOTE\] docs are next/);
    expect(after.filter(({ type }) => type === "summary").length).toBeGreaterThan(0);
    expect(findSessionByUid(stage.memory, "s")?.title).toBe("How does the parser read a flag?");
    expect(findKnownLines(stage.memory, ["s-line-2", "s-line-3"]).size).toBe(2);
  });

  it("takes with it the subagent that it started", async () => {
    const call = used("Task", { prompt: "look" }, "done");
    const [use] = call;
    const parent = await stage.store("s", prompt("look at it with a helper"), call, prompt("and now?"));
    await stage.store("s/agent-1", prompt(`look ${word}`));
    saveSession(stage.memory, {
      uid: "s/agent-1",
      agent: "claude",
      cwd: "/repo",
      parentId: parent.id,
      parentToolUse: use?.kind === "tool_use" ? use.id : null,
    });
    expect(await forgetNow(stage.work, { turn: "s:1" })).toMatchObject({ sessions: 1, turns: 2 });
    expect(stage.everything()).not.toContain(word);
  });
});

describe("forgetting a pattern's matches", () => {
  it("cuts it out of everything and keeps the rest", async () => {
    const id = await threeTurns();
    saveSession(stage.memory, {
      uid: "s",
      agent: "claude",
      cwd: `/repo/${word}`,
      title: { text: `On ${word}`, source: "user" },
    });
    await addNote(stage.work, { by: "person", note: `from a shell: ${word}` });
    await stage.store("calls", prompt("call it"), used(`mcp__${word}__ask`, { [`k${word}`]: [word] }, "ok"));
    await stage.store("other", prompt("something else entirely"), text("yes"));
    const untouched = stage.rowsOf("turns").at(-1);

    const preview = await previewForget(stage.memory, { pattern: word.toUpperCase().toLowerCase() });
    expect(preview).toMatchObject({ sessions: 2, turns: 3, annotations: 2 });
    expect(preview.matches).toBeGreaterThan(10);
    expect(preview.chunks).toBeGreaterThan(3);
    expect(preview.examples.some((example) => example.includes(word))).toBe(true);

    const report = await forgetNow(stage.work, { pattern: word });
    expect(report).toMatchObject({ ...preview, isLogEmpty: true });
    const left = stage.everything();
    expect(left).not.toContain(word);
    expect(matching(word)).toBe(0);
    expect(left).toContain("We decided to use [FORGOTTEN].");
    expect(findSessionByUid(stage.memory, "s")?.title).toBe("On [FORGOTTEN]");
    expect(listStoredNotes(stage.memory).map(({ note }) => note)).toEqual([
      "from a shell: [FORGOTTEN]",
      "docs are next",
      "remember [FORGOTTEN]",
    ]);
    expect(listTurns(stage.memory, id)).toHaveLength(3);
    expect(stage.rowsOf("turns").at(-1)).toEqual(untouched);
    expect(await forgetNow(stage.work, { pattern: word })).toMatchObject({ matches: 0, sessions: 0 });
  });

  it("cuts a text out where it stands as given, whatever it would mean as a pattern", async () => {
    await addNote(stage.work, { by: "person", note: "the key is sk+live$(a.b), not sk+live$(acb)" });
    const asked = { text: "sk+live$(a.b)" };
    expect(await previewForget(stage.memory, asked)).toMatchObject({ annotations: 1 });
    await forgetNow(stage.work, asked);
    expect(listStoredNotes(stage.memory).map(({ note }) => note)).toEqual([
      "the key is [FORGOTTEN], not sk+live$(acb)",
    ]);
    await expect(previewForget(stage.memory, { text: "" })).rejects.toMatchObject({ code: "usage" });
  });

  it("refuses an invalid pattern, and one that matches the empty text", async () => {
    for (const pattern of ["(", "a*", "", "^"]) {
      await expect(previewForget(stage.memory, { pattern })).rejects.toMatchObject({ code: "usage" });
    }
  });

  it("cuts everything that it matches and nothing else", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("ab", "FORGOTTEN", "[", "c d", "\n"), { maxLength: 30 }),
        (parts) => {
          const text = parts.join("");
          const cutter = createPatternCutter("ab|gott");
          const cut = cutter.cut(text);
          const places = cutter.takeCount();
          expect(cut.split("[FORGOTTEN]").join("")).not.toMatch(/ab|gott/i);
          expect(cutter.cut(cut)).toBe(cut);
          if (places === 0) expect(cut).toBe(text);
        },
      ),
    );
  });
});

describe("forgetting a note, a session, a time", () => {
  it("takes a note and its chunk, by the beginning of its id, and leaves its prompt", async () => {
    const id = await threeTurns();
    const note = listStoredNotes(stage.memory).find(({ turn }) => turn === 2)!;
    const asked = { annotation: note.uid.slice(0, 12) };
    expect(await previewForget(stage.memory, asked)).toMatchObject({
      annotations: 1,
      turns: 0,
      examples: [`note  remember ${word}`],
    });
    await forgetNow(stage.work, asked);
    expect(listStoredNotes(stage.memory)).toHaveLength(1);
    expect(isForgotten(stage.memory, note.uid)).toBe(true);
    expect(listTurns(stage.memory, id)).toHaveLength(3);
  });

  it("takes a session, by the beginning of its id", async () => {
    await threeTurns("aaaa-1");
    await stage.store("bbbb-2", prompt("stay"));
    expect(await previewForget(stage.memory, { session: "aaaa" })).toMatchObject({ sessions: 1, turns: 3 });
    await forgetNow(stage.work, { session: "aaaa" });
    expect(stage.everything()).not.toContain(word);
    expect(listSessions(stage.memory).map(({ uid }) => uid)).toEqual(["bbbb-2"]);
  });

  it("takes a session's transcript out of the vault, and leaves those of others", async () => {
    const home = temporaryHome();
    try {
      const paths = ["aaaa-1", "bbbb-2"].map((name) => join(home.dir, `${name}.jsonl`));
      for (const [i, path] of paths.entries()) {
        const { id } = await stage.store(basename(path, ".jsonl"), prompt(`session ${i}`));
        writeFileSync(path, "not read yet");
        const readSoFar = { offset: 0, size: 0, readAt: 0, lineHash: "", skipped: {} };
        saveTranscript(stage.memory, { path, agent: "claude", sessionId: id, ...readSoFar });
        keepFile(path);
      }
      await forgetNow(stage.work, { session: "aaaa" });
      expect(paths.map((path) => findKeptFile(path) !== null)).toEqual([false, true]);
    } finally {
      home.remove();
    }
  });

  it("takes a time", async () => {
    await threeTurns();
    const since = new Date(fixtureStart + 9 * 60_000).toISOString();
    const until = new Date(fixtureStart + 12 * 60_000).toISOString();
    expect(await forgetNow(stage.work, { since, until })).toMatchObject({ turns: 1, annotations: 1 });
    expect(stage.everything()).not.toContain(word);
    expect(await forgetNow(stage.work, { until: "2030-01-01" })).toMatchObject({ sessions: 1, turns: 2 });
  });

  it.each([
    [{}, "usage"],
    [{ session: "s", pattern: "x" }, "usage"],
    [{ turn: "s" }, "usage"],
    [{ turn: "s:99" }, "not_found"],
    [{ session: "unknown" }, "not_found"],
    [{ annotation: "unknown" }, "not_found"],
    [{ annotation: "" }, "usage"],
    [{ since: "no time at all" }, "usage"],
    [{ since: "2026-02-01", until: "2026-01-01" }, "usage"],
  ])("refuses %j", async (asked, code) => {
    await threeTurns();
    await expect(previewForget(stage.memory, asked)).rejects.toMatchObject({ code });
    await expect(forgetNow(stage.work, asked)).rejects.toMatchObject({ code });
  });
});
