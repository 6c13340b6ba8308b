import { statSync } from "node:fs";
import { noJobs, readJobsStatus } from "../../answers/jobs-status.ts";
import type { Config } from "../../base/config/settings.ts";
import { dayMs } from "../../base/text/day.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { buildCurrentCut, buildCutSettings } from "../../sessions/chunks/cut-rules.ts";
import { readGitCounts } from "../../store/memory/commits/commits.ts";
import { measureStorageGrowth, sumLlmSpending } from "../../store/memory/daily-records.ts";
import { listMissedInjections, sumInjections } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { scrubbedBy } from "../../store/memory/privacy/rewrite.ts";
import { cutCounts } from "../../store/memory/sessions/session-index.ts";
import { readMemoryCounts } from "../../store/memory/sessions/sessions.ts";
import type { MemoryStatus } from "./operation.ts";

interface MemoryCircumstances {
  config: Config;
  /** Of the scrubbing rules in force; left out if they were not read. */
  scrubVersion?: string;
  /** Where the memory is, or would be. */
  file: string;
  /** Why the memory cannot be read; null when it can, or is not there. */
  problem: string | null;
  /** Why the language model failed last; left out if it was not used. */
  llmProblem?: string | null;
}

/**
 * The content and the size of the memory.
 * @param memory null: it does not exist, or cannot be read
 */
export function describeMemory(
  memory: Memory | null,
  { config, scrubVersion, file, problem, llmProblem = null }: MemoryCircumstances,
): MemoryStatus {
  const llm = {
    model: config["llm.model"],
    daily_tokens: config["llm.daily_tokens"],
    problem: llmProblem,
  };
  const captures = config["sessions.capture"];
  const mode = config["context.mode"];
  if (memory === null) {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const context = { mode, injections: 0, tokens: 0, injections_30d: 0, tokens_30d: 0, missed_30d: 0 };
    return {
      ...emptyStatus,
      captures,
      context,
      bytes,
      problem,
      llm: { ...llm, tokens_today: 0, dollars_today: null },
    };
  }
  const counts = readMemoryCounts(memory);
  const chunks = counts.chunks.raw + counts.chunks.summary + counts.chunks.annotated;
  const { commits, checkpoints, waiting } = readGitCounts(memory);
  const { bytes, growth } = measureStorageGrowth(memory);
  const spent = sumLlmSpending(memory);
  const stored = memory.readMeta(scrubbedBy);
  return {
    captures,
    sessions: counts.sessions,
    agents: counts.agents,
    turns: counts.turns,
    chunks,
    annotations: counts.annotations,
    summaries: counts.summaries,
    commits,
    checkpoints,
    commits_waiting: waiting,
    last_updated: formatIsoTime(counts.lastAt),
    problem,
    bytes,
    growth_30d_bytes: growth?.bytes ?? null,
    context: measureContext(memory, mode),
    vanishing: null,
    needs_scrubbing: chunks > 0 && scrubVersion !== undefined && stored !== scrubVersion,
    recut: countRecut(memory, config),
    llm: {
      ...llm,
      tokens_today: spent.input + spent.output,
      dollars_today: spent.requests === 0 ? null : spent.dollars,
    },
    jobs: readJobsStatus(memory),
  };
}

/** Sessions that are to be cut into chunks again. */
function countRecut(memory: Memory, config: Config): MemoryStatus["recut"] {
  const { outdated, all } = cutCounts(memory, buildCurrentCut(buildCutSettings(config)));
  return { sessions: outdated, all };
}

/** How much context was injected automatically, and how much missed its deadline. */
function measureContext(memory: Memory, mode: string): MemoryStatus["context"] {
  const all = sumInjections(memory);
  const since = Date.now() - 30 * dayMs;
  const lately = sumInjections(memory, since);
  const missed_30d = listMissedInjections(memory, since).length;
  return { mode, ...all, injections_30d: lately.injections, tokens_30d: lately.tokens, missed_30d };
}

const emptyStatus: Omit<MemoryStatus, "captures" | "llm" | "problem" | "bytes" | "context"> = {
  sessions: 0,
  agents: {},
  turns: 0,
  chunks: 0,
  annotations: 0,
  summaries: 0,
  commits: 0,
  checkpoints: 0,
  commits_waiting: 0,
  last_updated: null,
  growth_30d_bytes: null,
  vanishing: null,
  needs_scrubbing: false,
  recut: { sessions: 0, all: 0 },
  jobs: noJobs,
};
