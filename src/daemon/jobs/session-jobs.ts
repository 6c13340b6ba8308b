import { scrubQuestions } from "../../answers/audit.ts";
import type { Config } from "../../base/config/settings.ts";
import { explainError, getErrorCode, getErrorMessage } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import type { Embedder } from "../../models/embed/embedder.ts";
import { createBudgetedLlm } from "../../models/generate/budget.ts";
import type { Llm } from "../../models/generate/llm.ts";
import {
  createLlm,
  explainWhyNoModelScrubs,
  isLocal,
  toLlmSettings,
} from "../../models/generate/registry.ts";
import { type Scrubber, scrubAlone } from "../../redact/scrubber.ts";
import { buildCutSettings } from "../../sessions/chunks/cut-rules.ts";
import { expireOldTurns } from "../../sessions/forget/forget.ts";
import { recutSessions } from "../../sessions/recut.ts";
import { deepScrubSession } from "../../sessions/scrub/deep-scrub.ts";
import { rescrubMemory } from "../../sessions/scrub/rescrub.ts";
import { findNextModelSummaryTime, summariseNext } from "../../sessions/summaries/by-model.ts";
import { sumUpSession } from "../../sessions/summaries/sum-up.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { addLlmUsage, sumLlmSpending } from "../../store/memory/daily-records.ts";
import { findWaitingJob } from "../../store/memory/jobs/job-rows.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobRecord } from "../../store/memory/memory-records.ts";
import { scrubbedBy } from "../../store/memory/privacy/rewrite.ts";
import { ensureSecretKey } from "../../store/memory/privacy/secrets.ts";
import type { JobRun } from "./do-job.ts";
import { priority } from "./session-requests.ts";

/** A single job for all sessions: each run sums up the next one. */
const modelSummaries = { kind: "model-summary", subject: "memory" } as const;

export const retainedAt = "retained_at";

/** How often to ask a language model again that did not answer. Milliseconds. */
const askAgainMs = 60_000;
/** It rests as long as it worked, within these bounds. Milliseconds. */
const [minRestMs, maxRestMs] = [1_000, 30_000];

interface JobsOptions {
  project: Project;
  config: Config;
  memory: Memory;
  embedder: Embedder | null;
  scrubber: () => Scrubber;
  roots: () => readonly string[];
  /** Shares the memory through a remote. */
  runSync: (remote: string, signal: AbortSignal) => Promise<void>;
  /** Runs what needs the memory alone. */
  alone: <T>(work: () => Promise<T>) => Promise<T>;
  log: Logger;
}

/** Does the jobs of the queue that no thread does (threads/job-threads.ts). */
export class SessionJobs {
  private readonly ledgerKey: Uint8Array;
  private readonly llm: Llm | null;
  private readonly scrubbingLlm: Llm | null;

  /** Why the language model did not answer the last time; null if it answered, or was not asked yet. */
  llmProblem: string | null = null;

  constructor(private readonly options: JobsOptions) {
    this.ledgerKey = ensureSecretKey(options.memory);
    const onAnswer = (problem: string | null) => {
      this.llmProblem = problem;
    };
    this.llm = makeBudgetedLlm(options, "summary", onAnswer);
    this.scrubbingLlm = canScrub(options) ? makeBudgetedLlm(options, "scrub", onAnswer) : null;
  }

  /** Whether a language model looks for secrets as well. */
  get hasScrubbingModel(): boolean {
    return this.scrubbingLlm !== null;
  }

  /**
   * Does a job.
   * @returns how many chunks it wrote
   */
  async run(job: JobRecord, run: JobRun): Promise<number> {
    if (job.kind === "model-summary") {
      const isOfAll = job.subject === modelSummaries.subject;
      return isOfAll ? this.summariseByModel(run) : this.sumUpByModel(job, run);
    }
    if (job.kind === "scrub") return this.scrub(run);
    if (job.kind === "deep-scrub") return this.scrubDeeply(job, run);
    if (job.kind === "recut") return this.recut(run);
    if (job.kind === "retain") return this.applySessionRetention();
    if (job.kind !== "sync") throw new Error(`Nothing here does a job of the kind ${job.kind}.`);
    await this.options.runSync(job.subject, run.signal);
    return 0;
  }

  /** Everything needed to change what is stored. */
  buildScrubbingWork(): ScrubbingWork {
    const { project, config, memory, embedder, scrubber, roots, log } = this.options;
    return {
      memory,
      embedder,
      scrubber: scrubber(),
      ledgerKey: this.ledgerKey,
      ...buildCutSettings(config),
      root: project.root,
      worktrees: roots().filter((root) => root !== project.root),
      log,
    };
  }

  private async sumUpByModel({ subject }: JobRecord, { signal }: JobRun): Promise<number> {
    const { llm } = this;
    if (llm === null) return 0;
    return (await sumUpSession({ ...this.buildScrubbingWork(), llm }, subject, { signal }))?.chunks ?? 0;
  }

  /**
   * Queues that the language model, if there is one, sums up what it has not yet, if there is anything.
   * @returns whether that waits now
   */
  askModel(notBefore = Date.now()): boolean {
    if (this.llm === null) return false;
    const { memory, config } = this.options;
    const withChunks = config["llm.chunk_summaries"];
    const due = findNextModelSummaryTime({ memory, llm: this.llm, withChunks });
    if (due === null) return false;
    const at = Math.max(due, notBefore);
    const waiting = findWaitingJob(memory, modelSummaries);
    if (waiting === null || waiting.notBefore > at)
      enqueue(memory, { ...modelSummaries, priority: priority["model-summary"], notBefore: at });
    return true;
  }

  private async summariseByModel({ signal, progress }: JobRun): Promise<number> {
    const { llm } = this;
    if (llm === null) return 0;
    const { config, log } = this.options;
    const startedAt = Date.now();
    const known = this.llmProblem;
    try {
      const withChunks = config["llm.chunk_summaries"];
      const options = { ...this.buildScrubbingWork(), llm, withChunks };
      const chunks = await summariseNext(options, { signal, onProgress: progress });
      const now = Date.now();
      this.askModel(now + Math.min(Math.max(now - startedAt, minRestMs), maxRestMs));
      return chunks;
    } catch (error) {
      if (getErrorCode(error) !== "llm_unavailable") throw error;
      const problem = explainError(error);
      if (problem !== known) log.warn(`no summaries by ${llm.id} for now: ${problem}`);
      this.llmProblem = problem;
      this.askModel(Date.now() + askAgainMs);
      return 0;
    }
  }

  private async scrubDeeply({ subject, payload, priority }: JobRecord, { signal }: JobRun): Promise<number> {
    const { memory, alone, log } = this.options;
    if (this.scrubbingLlm === null) return 0;
    try {
      const work = { ...this.buildScrubbingWork(), llm: this.scrubbingLlm };
      const turns = await deepScrubSession(work, subject, alone, { signal });
      if (turns > 0) log.info(`${subject}: the language model found secrets in ${turns} turns`);
    } catch (error) {
      if (getErrorCode(error) !== "llm_unavailable") throw error;
      log.warn(`${subject}: not scrubbed by the language model yet: ${getErrorMessage(error)}`);
      // A job for newer lines does this as well, and also keeps the session out of searches meanwhile.
      if (findWaitingJob(memory, { kind: "deep-scrub", subject }) === null)
        enqueue(memory, {
          kind: "deep-scrub",
          subject,
          payload,
          priority,
          notBefore: Date.now() + askAgainMs,
        });
    }
    return 0;
  }

  private async scrub({ signal, progress }: JobRun): Promise<number> {
    const { project, scrubber } = this.options;
    await scrubQuestions(project, scrubber());
    const { sessions, turns } = await rescrubMemory(this.buildScrubbingWork(), {
      signal,
      onProgress: progress,
    });
    this.options.log.info(`scrubbed again: found something in ${turns} turns of ${sessions} sessions`);
    return 0;
  }

  /** Cuts sessions again. A scrub by new rules is more urgent, interrupts this job, and so comes first. */
  private async recut({ signal, progress }: JobRun): Promise<number> {
    const { memory, scrubber } = this.options;
    return recutSessions(this.buildScrubbingWork(), {
      signal,
      onProgress(done, total) {
        if (memory.readMeta(scrubbedBy) !== scrubber().version)
          enqueue(memory, { kind: "scrub", subject: "memory", priority: priority.scrub });
        progress(done, total);
      },
    });
  }

  private applySessionRetention(): number {
    const { memory, config, log } = this.options;
    const days = config["sessions.retention_days"];
    const changed = days > 0 ? expireOldTurns(memory, { days }) : [];
    memory.setMeta(retainedAt, String(Date.now()));
    if (changed.length > 0) log.info(`deleted ${changed.length} sessions older than ${days} days`);
    return 0;
  }
}

function canScrub({ config, log }: JobsOptions): boolean {
  const problem = explainWhyNoModelScrubs(config);
  if (problem !== null && config["scrub.llm"]) log.warn(`scrub.llm: ${problem}`);
  return problem === null;
}

/** Wraps `llm` so that it sees and stores no secret, not even one that older rules let through. */
function makeScrubbedLlm(llm: Llm, scrubber: () => Scrubber): Llm {
  const clean = (text: string) => scrubAlone(scrubber(), text);
  return {
    id: llm.id,
    async generate(request, signal) {
      const answer = await llm.generate({ ...request, prompt: clean(request.prompt) }, signal);
      return { ...answer, text: clean(answer.text) };
    },
  };
}

/** Wraps `llm` with a callback after each request: null, or why there was no answer. */
function makeWatchedLlm(llm: Llm, onAnswer: (problem: string | null) => void): Llm {
  return {
    id: llm.id,
    async generate(request, signal) {
      try {
        const answer = await llm.generate(request, signal);
        onAnswer(null);
        return answer;
      } catch (error) {
        if (getErrorCode(error) === "llm_unavailable") onAnswer(explainError(error));
        throw error;
      }
    },
  };
}

function makeBudgetedLlm(
  { config, memory, scrubber, log }: JobsOptions,
  purpose: "summary" | "scrub",
  onAnswer: (problem: string | null) => void,
): Llm | null {
  try {
    const llm = createLlm(config["llm.model"], toLlmSettings(config));
    if (llm === null) return null;
    // A model that looks for secrets has to see them.
    const asked = purpose === "scrub" ? llm : makeScrubbedLlm(llm, scrubber);
    return createBudgetedLlm(makeWatchedLlm(asked, onAnswer), {
      purpose,
      // A model on this machine costs nothing.
      dailyTokens: isLocal(toLlmSettings(config), config["llm.model"])
        ? Number.POSITIVE_INFINITY
        : config["llm.daily_tokens"],
      spentToday() {
        const { input, output } = sumLlmSpending(memory);
        return input + output;
      },
      record: (usage) => addLlmUsage(memory, { ...usage, dollars: usage.dollars ?? 0 }),
    });
  } catch (error) {
    log.warn(`llm.model: ${getErrorMessage(error)}`);
    return null;
  }
}
