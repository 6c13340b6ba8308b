import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fakeScrubber, temporaryWork } from "../../../test/support/memory-work-fixture.ts";
import { edited, prompt, ran, summary, text } from "../../../test/support/turn-fixture.ts";
import { createLedger } from "../../redact/scrubber.ts";
import { allChunks } from "../../store/memory/chunks/chunk-filter.ts";
import { matchSessionTokens } from "../../store/memory/chunks/chunk-lookup.ts";
import { listStoredNotes, saveNote } from "../../store/memory/chunks/notes.ts";
import { expireSessions } from "../../store/memory/privacy/forget.ts";
import { scrubbedBy } from "../../store/memory/privacy/rewrite.ts";
import { listSecrets } from "../../store/memory/privacy/secrets.ts";
import { findSessionByUid, saveSession } from "../../store/memory/sessions/sessions.ts";
import { listSummaries } from "../../store/memory/sessions/summaries.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { addNote } from "../notes/add-note.ts";
import { sumUpSession } from "../summaries/sum-up.ts";
import { rescrubMemory } from "./rescrub.ts";

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => stage.remove());

/** Made of letters, as one word to the index. */
const secret = `zq${"bcdfgh".repeat(4)}xv`;
const other = `zq${"hgfdcb".repeat(4)}xv`;
const rules = (version = "strong") => fakeScrubber(version, /zq[a-z]{24}xv/g);
const rescrub = (how = {}) => rescrubMemory({ ...stage.work, scrubber: rules() }, how);
const matching = (word: string) =>
  matchSessionTokens(stage.memory, [word], { prompt: 1, answer: 1, actions: 1, errors: 1 }, 100, allChunks)
    .length;

/** A session that shows its secret everywhere a session can. */
async function talkative(uid: string) {
  const { id } = await stage.store(
    uid,
    { branch: `try-${secret}` },
    prompt(`Use ${secret} for the deployment\nNote to Pommel: the key is ${secret}`),
    ran(`deploy --with ${secret}`, `failed: ${secret} was refused`, { isError: true }),
    edited(`/repo/keys/${secret}.ts`, "old", `export const key = "${other}";`),
    text(`It is ${secret}, and the new one is ${other}. ${"More was said of it. ".repeat(80)}`),
    summary(`Summary:\nThe key ${secret} was refused.`),
    prompt("Thanks, go on with the next step please"),
    text("Nothing secret here."),
  );
  saveSession(stage.memory, {
    uid,
    agent: "claude",
    cwd: "/repo",
    title: { text: `About ${secret}`, source: "user" },
  });
  await sumUpSession({ ...stage.work, llm: null }, uid);
  return id;
}

describe("scrubbing again under stronger rules", () => {
  it("leaves no trace of it: in no table, no index and no byte", async () => {
    const id = await talkative("s");
    await addNote(stage.work, { by: "person", note: `shell: ${secret}`, branch: `b-${secret}` });
    await addNote(stage.work, { by: "person", note: `later: ${other}`, sessionUid: "s" });
    saveNote(stage.memory, {
      uid: "loose",
      sessionUid: "unknown",
      turn: null,
      lineUid: null,
      at: 1,
      source: "prompt",
      branch: null,
      note: `loose ${secret}`,
    });
    expect(matching(secret)).toBeGreaterThan(2);
    expect(stage.everything()).toContain(other);

    const seen: [number, number][] = [];
    const report = await rescrub({ onProgress: (done: number, all: number) => seen.push([done, all]) });
    expect(report).toEqual({ sessions: 2, turns: 2, isLogEmpty: true });
    expect(seen).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ]);
    const all = stage.everything();
    for (const word of [secret, other]) {
      expect(all).not.toContain(word);
      expect(matching(word)).toBe(0);
    }
    expect(findSessionByUid(stage.memory, "s")).toMatchObject({
      title: "About [REDACTED_WORD]",
      branch: null,
    });
    expect(listTurns(stage.memory, id)[0]).toMatchObject({
      branch: "try-[REDACTED_WORD]",
      prompt: expect.stringContaining("Use [REDACTED_WORD] for the deployment"),
      files: [{ path: "keys/[REDACTED_WORD].ts", how: "edit" }],
    });
    expect(all).toContain("the new one is [REDACTED_WORD_2]");
    expect(listStoredNotes(stage.memory).map(({ note }) => note)).toEqual([
      "later: [REDACTED_WORD_2]",
      "shell: [REDACTED_WORD]",
      "the key is [REDACTED_WORD]",
      "loose [REDACTED_WORD]",
    ]);
    expect(
      listSummaries(stage.memory, id)
        .map(({ text: said }) => said)
        .join(),
    ).toContain("[REDACTED_WORD] was refused");
    expect(matching("deployment")).toBeGreaterThan(0);
    expect(stage.memory.readMeta(scrubbedBy)).toBe("strong");
    expect(listSecrets(stage.memory, id)).toHaveLength(2);
    expect(stage.memory.check()).toBe("ok");
  });

  it("gives the same result as reading under those rules", async () => {
    const id = await talkative("s");
    await rescrub();
    const scrubbed = { chunks: stage.chunkTexts(id), turns: listTurns(stage.memory, id) };
    stage.remove();
    stage = temporaryWork();
    const ledger = createLedger(stage.work.ledgerKey);
    const scrubber = rules();
    // The same conversation, whose lines were scrubbed before they were stored.
    const before = secret;
    expect(scrubber.scrub(before, ledger)).toBe("[REDACTED_WORD]");
    const placeholders = (text: string) =>
      text.replaceAll(secret, "[REDACTED_WORD]").replaceAll(other, "[REDACTED_WORD_2]");
    const clean = await stage.store(
      "s",
      { branch: placeholders(`try-${secret}`) },
      prompt(placeholders(`Use ${secret} for the deployment\nNote to Pommel: the key is ${secret}`)),
      ran(placeholders(`deploy --with ${secret}`), placeholders(`failed: ${secret} was refused`), {
        isError: true,
      }),
      edited(placeholders(`/repo/keys/${secret}.ts`), "old", placeholders(`export const key = "${other}";`)),
      text(
        placeholders(`It is ${secret}, and the new one is ${other}. ${"More was said of it. ".repeat(80)}`),
      ),
      summary(placeholders(`Summary:\nThe key ${secret} was refused.`)),
      prompt("Thanks, go on with the next step please"),
      text("Nothing secret here."),
    );
    const raw = (chunks: typeof scrubbed.chunks) => chunks.filter(({ type }) => type !== "summary");
    expect(raw(scrubbed.chunks).map(({ text: said }) => said)).toEqual(
      stage.chunkTexts(clean.id).map(({ text: said }) => said),
    );
    expect(scrubbed.turns.map(({ prompt: asked, tools }) => ({ asked, tools }))).toEqual(
      listTurns(stage.memory, clean.id).map(({ prompt: asked, tools }) => ({ asked, tools })),
    );
  });

  it("changes nothing where nothing is found, nor the second time", async () => {
    await stage.store("plain", prompt("What is the weather like in the build today?"), text("Fine."));
    const tables = ["sessions", "turns", "chunks", "vectors", "annotations", "summaries"];
    const rows = () => tables.map((table) => stage.rowsOf(table));
    const before = rows();
    expect(await rescrub()).toEqual({ sessions: 0, turns: 0, isLogEmpty: true });
    expect(rows()).toEqual(before);
    await talkative("s");
    await rescrub();
    const scrubbed = rows();
    expect(await rescrub()).toEqual({ sessions: 0, turns: 0, isLogEmpty: true });
    expect(rows()).toEqual(scrubbed);
  });

  it("cleans what is left of a session whose turns are gone", async () => {
    const id = await talkative("s");
    expireSessions(stage.memory, [id]);
    expect(matching(secret)).toBeGreaterThan(1);
    await rescrub();
    expect(stage.everything()).not.toContain(secret);
    expect(matching(secret)).toBe(0);
    const types = stage.chunkTexts(id).map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(["annotated", "summary"]));
    expect(stage.chunkTexts(id).find(({ type }) => type === "annotated")?.text).toContain(
      "Use [REDACTED_WORD] for the deployment",
    );
  });

  it("finds a note again by its new words when its prompt is read again", async () => {
    await talkative("s");
    await rescrub();
    const [known] = listStoredNotes(stage.memory);
    stage.memory.prepare("DELETE FROM lines").run();
    const { makeNoteUid } = await import("../notes/notes.ts");
    expect(known?.uid).toBe(makeNoteUid("s", "the key is [REDACTED_WORD]", 0));
  });
});

describe("scrubbing that is stopped", () => {
  it("continues from any place where it was stopped", async () => {
    const ids = [await talkative("a"), await talkative("b"), await talkative("c")];
    const result = async () => ids.map((id) => stage.chunkTexts(id));
    // Stopped at every write in turn, by an error in the middle of the work.
    for (let stop = 1; ; stop++) {
      let writes = 0;
      const original = stage.memory.runInTransaction.bind(stage.memory);
      stage.memory.runInTransaction = <T>(work: () => T): T => {
        if (++writes === stop) throw new Error("stopped");
        return original(work);
      };
      const outcome = await rescrub().then(
        () => "done",
        (error: Error) => error.message,
      );
      stage.memory.runInTransaction = original;
      if (outcome === "done") break;
      expect(outcome).toBe("stopped");
      if (stop > 400) throw new Error("it never ends");
    }
    expect(stage.everything()).not.toContain(secret);
    const chunks = JSON.stringify(await result());
    expect(chunks).not.toContain(secret);
    expect(chunks).not.toContain(other);
    expect(matching(secret) + matching(other)).toBe(0);
  });

  it("makes the chunks anew that it left, also under rules that find something else", async () => {
    await talkative("s");
    const embedder = { ...stage.work.embedder!, embed: () => Promise.reject(new Error("no model")) };
    await expect(rescrubMemory({ ...stage.work, embedder, scrubber: rules() }, {})).rejects.toThrow(
      "no model",
    );
    expect(matching(secret)).toBeGreaterThan(0);
    await rescrubMemory({ ...stage.work, scrubber: fakeScrubber("others", /qqqq/g) });
    expect(matching(secret)).toBe(0);
  });

  it("ends with the reason it was aborted for", async () => {
    await talkative("s");
    const reason = new Error("enough");
    await expect(rescrub({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(stage.memory.readMeta(scrubbedBy)).toBeNull();
  });
});
