import { defaultConfig } from "../../src/project/config/settings.ts";
import { injectionForPrompt } from "../../src/queries/context/for-prompt.ts";
import { frameQuotes } from "../../src/queries/context/quote.ts";
import { usesOf } from "../../src/queries/context/used.ts";
import type { SessionSearch } from "../../src/search/sessions/engine.ts";
import { storedTurns } from "../../src/sessions/stored-turns.ts";
import { chunkByUid } from "../../src/store/memory/chunks/chunks.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { sessionById } from "../../src/store/memory/sessions/sessions.ts";
import { filesOfSession } from "../../src/store/memory/sessions/turns.ts";
import { halfOf } from "../recall/questions.ts";

/** What a session's first prompt finds, whatever its relevance. */
export interface Asked {
  /** The session's name in the manifest. */
  name: string;
  half: "choose" | "confirm";
  /** When it began. */
  at: number;
  prompt: string;
  /** What it went on to read and change. */
  files: string[];
  /** The most relevant first. */
  items: {
    session: string;
    score: number;
    quote: string;
    why: string;
    /** Whether it counts as used, although the agent never saw it. */
    isUsedAnyway: boolean;
  }[];
  /** What telling those that are relevant enough takes. */
  tokensAt: (least: number) => number;
  ms: number;
  /** CPU time of this process, without other processes on the machine. */
  cpuMs: number;
}

interface AskOptions {
  memory: Memory;
  search: SessionSearch;
  /** Names by row of `sessions`. */
  names: ReadonlyMap<number, string>;
  /** What the search takes for now. */
  times: { now: number };
}

/** Asks with the first prompt of every session, knowing only what came before it. */
export async function askFirstPrompts({ memory, search, names, times }: AskOptions): Promise<Asked[]> {
  const config = defaultConfig();
  const asked: Asked[] = [];
  for (const [id, name] of names) {
    const session = sessionById(memory, id)!;
    const [first] = storedTurns(memory, id, { first: 1, last: 1 });
    const at = first?.record.startedAt;
    const prompt = first?.lines.flatMap(({ entries }) => entries).find(({ kind }) => kind === "prompt");
    if (at == null || prompt?.kind !== "prompt") continue;
    times.now = at;
    const source = {
      ...{ root: session.cwd, worktrees: [], memory, config, now: at, until: at - 1 },
      search: (query: Parameters<SessionSearch["search"]>[0]) => search.search(query),
      branch: async () => session.branch,
      namedCode: async () => [],
    };
    const start = performance.now();
    const worked = process.cpuUsage();
    const found = await injectionForPrompt(source, {
      sessionUid: session.uid,
      prompt: prompt.text,
      least: 0,
    });
    const ms = performance.now() - start;
    const { user, system } = process.cpuUsage(worked);
    const cpuMs = (user + system) / 1000;
    const uses = usesOf(memory, {
      ...{ sessionUid: session.uid, event: "user-prompt", at, items: found },
      ...{ reason: "", tokens: 0, tookMs: 0, textHash: "" },
    });
    const items = found.map((item) => ({
      session: names.get(chunkByUid(memory, item.ref.slice("chunk:".length))?.sessionId ?? -1) ?? "",
      score: item.score ?? 0,
      quote: item.quote,
      why: item.why,
      isUsedAnyway: uses.get(item.ref)?.outcome === "used",
    }));
    const tokensAt = (least: number) =>
      frameQuotes(
        found.filter(({ score }) => (score ?? 0) >= least),
        config["context.max_tokens"],
      )?.tokens ?? 0;
    const files = filesOfSession(memory, id).map(({ path }) => path);
    const half = halfOf({ id: name });
    asked.push({ name, half, at, prompt: prompt.text, files, items, tokensAt, ms, cpuMs });
  }
  return asked;
}
