import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { analyseQuery } from "../../src/code/search/query.ts";
import { QueryEmbedder } from "../../src/code/search/vectors/query-embedder.ts";
import { createStaticEmbedder } from "../../src/models/embed/static/static-embedder.ts";
import { embedChunks } from "../../src/sessions/chunks/embed.ts";
import { SessionSearch } from "../../src/sessions/search/engine.ts";
import { openQuery } from "../../src/sessions/search/types.ts";
import { allChunks } from "../../src/store/memory/chunks/chunk-filter.ts";
import { matchSessionTokens } from "../../src/store/memory/chunks/chunk-lookup.ts";
import { readChunksByIds, replaceChunks } from "../../src/store/memory/chunks/chunks.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { indexAllSessions } from "../../src/store/memory/sessions/session-index.ts";
import { saveSession } from "../../src/store/memory/sessions/sessions.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";

/**
 * Dialogues between people in the format of LoCoMo (Maharana et al., ACL 2024): which turns answer a question. They
 * differ from work with an agent, and so check that ranking does not fit only one kind of conversation.
 */

interface Said {
  speaker: string;
  dia_id: string;
  text: string;
}

interface Asked {
  question: string;
  evidence?: string[];
  category: number;
}

/** Shares of the evidence turns among the first five and ten, and of their sessions. */
export interface DialogueFigures {
  questions: number;
  words: { r5: number; r10: number };
  hybrid: { r5: number; r10: number };
  /** By category of question, and of all. */
  sessions: Record<string, { questions: number; r1: number; r5: number; r10: number }>;
}

const categories = new Map([
  [1, "several sessions"],
  [2, "temporal"],
  [3, "open domain"],
  [4, "one session"],
]);

/** The adversarial questions of the set, which have no answer. */
const unanswerable = 5;

/** Asks all questions about every dialogue in `dir`. */
export async function askDialogues(dir: string): Promise<DialogueFigures> {
  const totals: DialogueFigures = {
    questions: 0,
    words: { r5: 0, r10: 0 },
    hybrid: { r5: 0, r10: 0 },
    sessions: {},
  };
  for (const name of readdirSync(dir).filter((file) => file.endsWith(".json"))) {
    const dialogue = JSON.parse(readFileSync(join(dir, name), "utf8")) as Record<string, unknown>;
    const scratch = mkdtempSync(join(tmpdir(), "pommel-dialogue-"));
    const memory = Memory.open(join(scratch, "memory.db"), { readonly: false });
    try {
      await store(memory, dialogue);
      await ask(memory, dialogue.qa as Asked[], totals);
    } finally {
      memory.close();
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  for (const by of [totals.words, totals.hybrid]) {
    by.r5 /= totals.questions;
    by.r10 /= totals.questions;
  }
  for (const by of Object.values(totals.sessions)) {
    by.r1 /= by.questions;
    by.r5 /= by.questions;
    by.r10 /= by.questions;
  }
  return totals;
}

async function store(memory: Memory, dialogue: Record<string, unknown>): Promise<void> {
  const embedder = createStaticEmbedder();
  for (let number = 1; Array.isArray(dialogue[`session_${number}`]); number++) {
    const turns = dialogue[`session_${number}`] as Said[];
    const session = saveSession(memory, { uid: `session-${number}`, agent: "people", cwd: "/" });
    const terms = turns.map(({ speaker, text }) => ({
      prompt: "",
      answer: `${speaker}: ${text}`,
      actions: "",
      errors: "",
    }));
    const vectors = await embedChunks(embedder, terms);
    const chunks = turns.map(({ dia_id }, position) => ({
      uid: dia_id,
      position,
      firstTurn: position + 1,
      lastTurn: position + 1,
      firstSeq: null,
      lastSeq: null,
      type: "raw" as const,
      kind: "conversation" as const,
      eventType: "assistant" as const,
      abandoned: false,
      branch: null,
      startedAt: null,
      endedAt: null,
      annotationId: null,
      text: terms[position]!.answer,
      files: [],
      terms: terms[position]!,
      vectors: new Map([[embedder.id, vectors[position]!]]),
    }));
    replaceChunks(memory, session.id, { type: "raw", from: 0 }, chunks);
    turns.forEach(({ speaker, text }, i) => {
      saveTurn(memory, session.id, { ...emptyTurn, number: i + 1, prompt: `${speaker}: ${text}` });
    });
  }
  indexAllSessions(memory);
}

/** Both speakers are people, so every message is a prompt. */
const emptyTurn = {
  startedAt: null,
  endedAt: null,
  branch: null,
  abandoned: false,
  state: "completed" as const,
  groupStart: 1,
  tools: {},
  actions: {},
  files: [],
  content: { words: new Uint8Array(), json: new Uint8Array() },
};

async function ask(memory: Memory, asked: readonly Asked[], totals: DialogueFigures): Promise<void> {
  const embedder = new QueryEmbedder({ first: createStaticEmbedder() });
  const search = new SessionSearch({ root: "/", memory, embedder });
  for (const { question, evidence = [], category } of asked) {
    if (category === unanswerable || evidence.length === 0) continue;
    totals.questions++;
    const { results } = await search.search({ ...openQuery, query: question });
    const bySession = await search.search({ ...openQuery, query: question, by: "session" });
    addSessions(
      totals,
      categories.get(category) ?? String(category),
      bySession.results.map(({ session_id }) => session_id),
      new Set(evidence.flatMap((id) => /^D(\d+)/.exec(id)?.[1] ?? []).map((number) => `session-${number}`)),
    );
    add(
      totals.hybrid,
      results.map(({ id }) => id),
      evidence,
    );
    add(totals.words, byWords(memory, question), evidence);
  }
}

function addSessions(
  { sessions }: DialogueFigures,
  category: string,
  found: readonly string[],
  wanted: ReadonlySet<string>,
): void {
  const share = (n: number) =>
    [...wanted].filter((id) => found.slice(0, n).includes(id)).length / wanted.size;
  for (const name of ["all", category]) {
    sessions[name] ??= { questions: 0, r1: 0, r5: 0, r10: 0 };
    const by = sessions[name];
    by.questions++;
    by.r1 += share(1);
    by.r5 += share(5);
    by.r10 += share(10);
  }
}

/** Plain BM25 over turns. */
function byWords(memory: Memory, question: string): string[] {
  const weights = { prompt: 1, answer: 1, actions: 1, errors: 1 };
  const found = matchSessionTokens(memory, analyseQuery(question).tokens, weights, 10, allChunks);
  const chunks = readChunksByIds(
    memory,
    found.map(({ id }) => id),
  );
  return found.map(({ id }) => chunks.get(id)!.uid);
}

function add(totals: { r5: number; r10: number }, found: readonly string[], evidence: readonly string[]) {
  const share = (n: number) =>
    evidence.filter((id) => found.slice(0, n).includes(id)).length / evidence.length;
  totals.r5 += share(5);
  totals.r10 += share(10);
}
