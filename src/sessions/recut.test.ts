import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryWork } from "../../test/support/memory-work-fixture.ts";
import { runs } from "../../test/support/runs.ts";
import {
  edited,
  type Happening,
  pause,
  prompt,
  ran,
  summary,
  text,
} from "../../test/support/turn-fixture.ts";
import type { Embedder } from "../models/embed/embedder.ts";
import { emptyForgetRequest, expireSessions, forget } from "../store/memory/privacy/forget.ts";
import {
  cutCounts,
  cutOfSession,
  listOutdatedSessions,
  saveCut,
} from "../store/memory/sessions/session-index.ts";
import { findSessionByUid, saveSession } from "../store/memory/sessions/sessions.ts";
import { listSummaries, saveSummary } from "../store/memory/sessions/summaries.ts";
import { listTurns } from "../store/memory/sessions/turns.ts";
import { buildCurrentCut, buildSessionCut } from "./chunks/cut-rules.ts";
import { rechunkSession } from "./chunks/rechunk.ts";
import { addNote } from "./notes/add-note.ts";
import { recutSessions } from "./recut.ts";
import { sumUpSession } from "./summaries/sum-up.ts";
import type { ScrubbingWork } from "./work.ts";

let stage: ReturnType<typeof temporaryWork>;
beforeEach(() => {
  stage = temporaryWork();
});
afterEach(() => stage.remove());

/** The texts that were embedded. */
function counting(embedder: Embedder) {
  const texts: string[] = [];
  const embed: Embedder["embed"] = (given, kind, signal) => {
    texts.push(...given);
    return embedder.embed(given, kind, signal);
  };
  return { texts, embedder: { ...embedder, embed } };
}

/** All that is cut from turns, to the row; of the full-text index how many words it has of each chunk. */
const cut = (of = stage) => {
  const select = (sql: string) => of.memory.prepare(sql).all();
  return {
    chunks: of.rowsOf("chunks"),
    vectors: of.rowsOf("vectors"),
    decisions: of.rowsOf("chunk_decisions"),
    sources: of.rowsOf("chunk_sources"),
    words: select("SELECT id, words FROM chunk_terms_lengths ORDER BY id"),
    summaries: of.rowsOf("summaries"),
    annotations: of.rowsOf("annotations"),
    turns: select("SELECT session_id, number, group_start FROM turns"),
  };
};

/** The same without row ids: what another memory must have, too. */
const cutAnywhere = (of: ReturnType<typeof temporaryWork>) => ({
  chunks: of.memory
    .prepare(
      `SELECT c.uid, first_turn, last_turn, first_seq, last_seq, type, kind, event_type, c.abandoned, c.branch, text,
         files, decisions, hex(hash) AS hash, hex(data) AS vectors
       FROM chunks c LEFT JOIN chunk_decisions d ON d.chunk_id = c.id LEFT JOIN chunk_sources s ON s.chunk_id = c.id
         LEFT JOIN vectors v ON v.chunk_id = c.id ORDER BY c.uid`,
    )
    .all(),
  turns: of.memory.prepare("SELECT number, group_start FROM turns ORDER BY session_id, number").all(),
  summaries: of.memory.prepare("SELECT source, up_to_turn, text FROM summaries ORDER BY 1, 2").all(),
});

const talk = (subject: string): Happening[] => [
  prompt(`Why does the ${subject} fail at night?\nNote to Pommel: the ${subject} is slow`),
  ran(`npm test ${subject}`, `FAIL ${subject}`, { isError: true }),
  text(
    `We decided to use a queue instead of a lock for the ${subject}, because locks block. ${"More of it. ".repeat(30)}`,
  ),
  edited("/repo/src/retry.ts", "const attempts = 3;", `const attempts = 5; // ${subject}`),
  prompt("Fine, go on with the tests of it"),
  text(`The tests of the ${subject} pass. ${"And so on. ".repeat(40)}`),
  pause(30),
  prompt(`Now the docs of the ${subject} please`),
  text(`The docs say what the ${subject} does.`),
];

const recut = (work: Partial<ScrubbingWork> = {}, how = {}) => recutSessions({ ...stage.work, ...work }, how);

describe("cutting again by the same rules", () => {
  it("changes nothing: no row, no vector, no decision", async () => {
    const happening = fc.constantFrom<Happening>(
      prompt("why does the retry fail?"),
      prompt("Now let's write the docs\nNote to Pommel: docs come last"),
      prompt("ok"),
      text("We decided to use a queue instead of a lock, because locks block."),
      text("Done. ".repeat(120)),
      ran("npm test", "1 failed", { isError: true }),
      edited("/repo/a.ts", "old", "new"),
      summary("Summary:\nThe retry was too short, so we raised it to five."),
      pause(10),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 12 }), async (happenings) => {
        const own = temporaryWork();
        try {
          await own.store("s", ...happenings);
          await sumUpSession({ ...own.work, llm: null }, "s");
          const before = cut(own);
          const { texts, embedder } = counting(own.work.embedder!);
          await recutSessions({ ...own.work, embedder });
          expect(cut(own)).toEqual(before);
          expect(texts).toEqual([]);
          expect(listOutdatedSessions(own.memory, buildCurrentCut(own.work))).toEqual([]);
        } finally {
          own.remove();
        }
      }),
      { numRuns: runs(15) },
    );
  });

  it("keeps notes as they were written, also when their turn went on", async () => {
    const { id } = await stage.store("s", ...talk("heron"));
    await addNote(stage.work, {
      by: "person",
      note: "from a shell",
      sessionUid: "s",
      branch: "b",
      at: Date.UTC(2026, 0, 5, 9, 0, 2),
    });
    await sumUpSession({ ...stage.work, llm: null }, "s");
    const before = cut();
    await recut();
    expect(cut()).toEqual(before);
    expect(stage.chunkTexts(id).filter(({ type }) => type === "annotated")).toHaveLength(2);
  });

  it("gives a session that was compacted twice in a turn the same summary each time", async () => {
    await stage.store(
      "s",
      prompt("go"),
      summary("Summary:\nfirst one"),
      summary("Summary:\nsecond one"),
      text("ok"),
    );
    const sumUp = () => sumUpSession({ ...stage.work, llm: null }, "s");
    await sumUp();
    const before = stage.rowsOf("summaries");
    expect(before).toContainEqual(expect.objectContaining({ source: "compaction", text: "second one" }));
    await sumUp();
    expect(stage.rowsOf("summaries")).toEqual(before);
  });
});

describe("cutting again by other settings", () => {
  const smaller = { minTokens: 10, maxTokens: 60, pauseMinutes: 60 };

  it("gives what reading the transcripts by them would give", async () => {
    const fresh = temporaryWork();
    try {
      const work = { ...stage.work, chunks: { ...stage.work.chunks, ...smaller } };
      Object.assign(fresh.work.chunks, smaller);
      for (const of of [stage, fresh]) {
        await of.store("s", ...talk("heron"));
        await of.store("t", ...talk("bittern"));
        for (const uid of ["s", "t"]) await sumUpSession({ ...of.work, llm: null }, uid);
      }
      expect(cutAnywhere(stage)).not.toEqual(cutAnywhere(fresh));
      await recutSessions(work);
      expect(cutAnywhere(stage)).toEqual(cutAnywhere(fresh));
    } finally {
      fresh.remove();
    }
  });

  it("embeds only text that was not embedded before", async () => {
    await stage.store("s", ...talk("heron"));
    const known = new Set(stage.rowsOf("chunk_sources").map((row) => JSON.stringify(Object(row).hash)));
    const { texts, embedder } = counting(stage.work.embedder!);
    await recut({ embedder, chunks: { ...stage.work.chunks, maxTokens: 120 } });
    const made = stage.rowsOf("chunk_sources").map((row) => JSON.stringify(Object(row).hash));
    expect(made.some((hash) => known.has(hash))).toBe(true);
    expect(texts.length).toBeGreaterThan(0);
    // Its extract, which has no chunk while the session fits in one, quotes it.
    const ofTurns = texts.filter((text) => !text.includes("Asked:"));
    expect(ofTurns.join("\n")).not.toContain("The docs say what the heron does.");
  });

  it("brings back older chunks when more may be kept, and drops them when fewer may", async () => {
    const { id } = await stage.store("s", ...talk("heron"));
    const all = stage.chunkTexts(id).filter(({ type }) => type === "raw");
    await recut({ maxChunks: 1 });
    expect(stage.chunkTexts(id).filter(({ type }) => type === "raw")).toEqual(all.slice(-1));
    await recut({ maxChunks: 0 });
    expect(stage.chunkTexts(id).filter(({ type }) => type === "raw")).toEqual(all);
  });

  it("finds decisions by the project's own words", async () => {
    await stage.store("s", prompt("do it"), text("Beschluss: Redis holds the sessions from now on."));
    const decisions = () =>
      stage.rowsOf("chunk_decisions").map((row) => JSON.parse(Object(row).decisions).length);
    expect(decisions()).toEqual([0]);
    const { buildKindRules } = await import("./chunks/kinds.ts");
    await recut({ chunks: { ...stage.work.chunks, kinds: buildKindRules({ decision: ["beschluss"] }) } });
    expect(decisions()).toEqual([1]);
  });
});

it("goes on where it was stopped, newest sessions first", async () => {
  for (const [i, uid] of ["old", "middle", "new"].entries()) {
    await stage.store(uid, { at: Date.UTC(2026, 0, 1 + i) }, ...talk(uid));
  }
  const controller = new AbortController();
  const onProgress = (done: number) => {
    if (done === 1) controller.abort(new Error("stopped"));
  };
  await expect(recut({}, { signal: controller.signal, onProgress })).rejects.toThrow("stopped");
  const isCut = (uid: string) => cutOfSession(stage.memory, findSessionByUid(stage.memory, uid)!.id) !== null;
  expect(["new", "middle", "old"].map(isCut)).toEqual([true, false, false]);
  expect(cutCounts(stage.memory, buildCurrentCut(stage.work))).toEqual({ outdated: 2, all: 3 });
  const steps: number[][] = [];
  await recut({}, { onProgress: (...step: number[]) => steps.push(step) });
  expect(steps).toEqual([
    [0, 2],
    [1, 2],
    [2, 2],
  ]);
  expect(["new", "middle", "old"].map(isCut)).toEqual([true, true, true]);
});

it("starts over with a session that grew meanwhile", async () => {
  const { id } = await stage.store("s", ...talk("heron"));
  let grown = false;
  const embed: Embedder["embed"] = async (texts, kind, signal) => {
    if (!grown) {
      grown = true;
      stage.memory.prepare("UPDATE turns SET ended_at = ended_at + 1 WHERE session_id = ?").run(id);
    }
    return stage.work.embedder!.embed(texts, kind, signal);
  };
  const how = { chunks: { ...stage.work.chunks, maxTokens: 60 } };
  await recut({ ...how, embedder: { ...stage.work.embedder!, embed } });
  expect(grown).toBe(true);
  const before = cut();
  await rechunkSession({ ...stage.work, ...how }, findSessionByUid(stage.memory, "s")!, 0, { regroup: true });
  expect(cut()).toEqual(before);
});

it("brings back nothing that was forgotten", async () => {
  const { id } = await stage.store("s", ...talk("heron"));
  forget(stage.memory, { ...emptyForgetRequest, turns: new Map([[id, [1]]]) });
  await rechunkSession(stage.work, findSessionByUid(stage.memory, "s")!, 1);
  const before = stage.chunkTexts(id);
  await recut({ chunks: { ...stage.work.chunks, maxTokens: 60 } });
  await recut();
  expect(stage.chunkTexts(id)).toEqual(before);
  expect(JSON.stringify(stage.rowsOf("chunks"))).not.toContain("fail at night");
  expect(stage.rowsOf("annotations")).toEqual([]);
});

it("leaves what cannot be cut again: notes and summaries of sessions whose turns have expired", async () => {
  const { id } = await stage.store("s", ...talk("heron"));
  await sumUpSession({ ...stage.work, llm: null }, "s");
  expireSessions(stage.memory, [id]);
  const before = cut();
  expect(before.chunks).not.toEqual([]);
  await recut({ chunks: { ...stage.work.chunks, maxTokens: 60 } });
  expect(cut()).toEqual(before);
});

it("leaves a session with a damaged turn as it was, and goes on with the others", async () => {
  const { id } = await stage.store("s", ...talk("heron"));
  await stage.store("t", { at: 0 }, ...talk("bittern"));
  stage.memory.prepare("UPDATE turns SET content = x'00' WHERE session_id = ? AND number = 2").run(id);
  const before = stage.chunkTexts(id);
  const warnings: string[] = [];
  const log = { ...stage.work.log, warn: (message: string) => void warnings.push(message) };
  await recut({ log, chunks: { ...stage.work.chunks, maxTokens: 60 } });
  expect(warnings).toEqual([expect.stringMatching(/^s stays as it was cut: /)]);
  expect(stage.chunkTexts(id)).toEqual(before);
  expect(
    listOutdatedSessions(
      stage.memory,
      buildCurrentCut({ ...stage.work, chunks: { ...stage.work.chunks, maxTokens: 60 } }),
    ),
  ).toEqual([]);
});

describe("a session is cut again", () => {
  it("when its reader, the rules or the settings changed, and not before", async () => {
    const { id } = await stage.store("s", ...talk("heron"));
    const now = buildSessionCut(stage.work, "claude");
    const isOutdated = () => listOutdatedSessions(stage.memory, buildCurrentCut(stage.work)).length === 1;
    expect(isOutdated()).toBe(true);
    for (const [change, expected] of [
      [{}, false],
      [{ reader: now.reader + 1 }, true],
      [{ rules: now.rules - 1 }, true],
      [{ settings: "other" }, true],
    ] as const) {
      saveCut(stage.memory, id, { ...now, ...change });
      expect(isOutdated()).toBe(expected);
    }
  });

  it("with a title by today's rules, unless a person or an agent chose it", async () => {
    const store = async (uid: string, source: "prompt" | "user") => {
      await stage.store(uid, ...talk("heron"));
      const title = { text: "an older title", source };
      saveSession(stage.memory, { uid, agent: "claude", cwd: "/repo", title });
    };
    for (const uid of ["asked", "brought back"]) await store(uid, "prompt");
    await store("named", "user");
    const titleOf = (uid: string) => findSessionByUid(stage.memory, uid)!.title;
    // One that nobody says how it was cut is not by older rules: it came back with its title.
    for (const uid of ["asked", "named"]) {
      const session = findSessionByUid(stage.memory, uid)!;
      const now = buildSessionCut(stage.work, session.agent);
      saveCut(stage.memory, session.id, { ...now, rules: now.rules - 1 });
    }
    await recut();
    expect(titleOf("asked")).toContain("heron");
    for (const uid of ["brought back", "named"]) expect(titleOf(uid)).toBe("an older title");
  });

  it("and keeps what a language model wrote about it", async () => {
    const { id } = await stage.store("s", ...talk("heron"));
    const upToTurn = listTurns(stage.memory, id).at(-1)!.number;
    saveSummary(stage.memory, { sessionId: id, source: "llm", upToTurn, at: 1, model: "m", text: "Herons." });
    await recut();
    expect(listSummaries(stage.memory, id)).toContainEqual(
      expect.objectContaining({ source: "llm", text: "Herons." }),
    );
  });
});
