import * as z from "zod/mini";
import type { Embedder } from "../../models/embed/embedder.ts";
import { createBudgetedLlm } from "../../models/generate/budget.ts";
import type { Llm } from "../../models/generate/llm.ts";
import { createLlm, isLocal, llmSettingsOf, whyNoModelScrubs } from "../../models/generate/registry.ts";
import type { Config } from "../../project/config/settings.ts";
import { codeOf, explanationOf, messageOf } from "../../project/errors.ts";
import type { Logger } from "../../project/log.ts";
import type { Project } from "../../project/paths.ts";
import type { Scrubber } from "../../redact/scrubber.ts";
import { cutSettingsOf } from "../../sessions/chunks/cut-rules.ts";
import { retainMemory } from "../../sessions/ingest/retain.ts";
import { recutSessions } from "../../sessions/recut.ts";
import { deepScrubSession } from "../../sessions/scrub/deep-scrub.ts";
import { rescrubMemory } from "../../sessions/scrub/rescrub.ts";
import { sumUpSession } from "../../sessions/summaries/sum-up.ts";
import type { ScrubbingWork } from "../../sessions/work.ts";
import { waitingJob } from "../../store/memory/jobs/job-rows.ts";
import { enqueue } from "../../store/memory/jobs/jobs.ts";
import { addLlmUsage, llmSpending } from "../../store/memory/llm-usage.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { JobRecord } from "../../store/memory/memory-records.ts";
import { scrubbedBy } from "../../store/memory/privacy/rewrite.ts";
import { secretKey } from "../../store/memory/privacy/secrets.ts";
import { priority } from "./conversation-requests.ts";
import type { JobRun } from "./do-job.ts";

const summaryPayload = z.object({ with_llm: z.optional(z.boolean()) });

export const retainedAt = "retained_at";

/** Until the language model is back, a session is shown to it again this often. Milliseconds. */
const scrubAgainMs = 60_000;

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
export class ConversationJobs {
  private readonly ledgerKey: Uint8Array;
  private readonly llm: Llm | null;
  private readonly scrubbingLlm: Llm | null;

  /** Why the language model did not answer last; null when it did, or was not asked yet. */
  llmProblem: string | null = null;

  constructor(private readonly options: JobsOptions) {
    this.ledgerKey = secretKey(options.memory);
    const onAnswer = (problem: string | null) => {
      this.llmProblem = problem;
    };
    this.llm = budgetedLlm(options, "summary", onAnswer);
    this.scrubbingLlm = mayScrub(options) ? budgetedLlm(options, "scrub", onAnswer) : null;
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
    if (job.kind === "summary") return this.sumUp(job, run);
    if (job.kind === "scrub") return this.scrub(run);
    if (job.kind === "deep-scrub") return this.deepScrub(job, run);
    if (job.kind === "recut") return this.recut(run);
    if (job.kind === "retain") return this.retain();
    if (job.kind !== "sync") throw new Error(`Nothing here does a job of the kind ${job.kind}.`);
    await this.options.runSync(job.subject, run.signal);
    return 0;
  }

  /** With everything needed to change what is stored. */
  work(): ScrubbingWork {
    const { project, config, memory, embedder, scrubber, roots, log } = this.options;
    return {
      memory,
      embedder,
      scrubber: scrubber(),
      ledgerKey: this.ledgerKey,
      ...cutSettingsOf(config),
      root: project.root,
      worktrees: roots().filter((root) => root !== project.root),
      log,
    };
  }

  private async sumUp({ subject, payload }: JobRecord, { signal }: JobRun): Promise<number> {
    const { with_llm: withLlm = false } = z.parse(summaryPayload, payload);
    const summed = await sumUpSession({ ...this.work(), llm: this.llm }, subject, { withLlm, signal });
    return summed?.chunks ?? 0;
  }

  private async deepScrub({ subject, payload, priority }: JobRecord, { signal }: JobRun): Promise<number> {
    const { memory, alone, log } = this.options;
    if (this.scrubbingLlm === null) return 0;
    try {
      const work = { ...this.work(), llm: this.scrubbingLlm };
      const turns = await deepScrubSession(work, subject, alone, { signal });
      if (turns > 0) log.info(`${subject}: the language model found secrets in ${turns} turns`);
    } catch (error) {
      if (codeOf(error) !== "llm_unavailable") throw error;
      log.warn(`${subject}: not scrubbed by the language model yet: ${messageOf(error)}`);
      // One for newer lines says as much, and that the session is not searched meanwhile.
      if (waitingJob(memory, { kind: "deep-scrub", subject }) === null)
        enqueue(memory, {
          kind: "deep-scrub",
          subject,
          payload,
          priority,
          notBefore: Date.now() + scrubAgainMs,
        });
    }
    return 0;
  }

  private async scrub({ signal, progress }: JobRun): Promise<number> {
    const { sessions, turns } = await rescrubMemory(this.work(), { signal, onProgress: progress });
    this.options.log.info(`scrubbed again: found something in ${turns} turns of ${sessions} sessions`);
    return 0;
  }

  /** What is not scrubbed by the current rules is scrubbed first: that job is more urgent, and ends this one's turn. */
  private async recut({ signal, progress }: JobRun): Promise<number> {
    const { memory, scrubber } = this.options;
    return recutSessions(this.work(), {
      signal,
      onProgress(done, total) {
        if (memory.meta(scrubbedBy) !== scrubber().version)
          enqueue(memory, { kind: "scrub", subject: "memory", priority: priority.scrub });
        progress(done, total);
      },
    });
  }

  private retain(): number {
    const { memory, config, log } = this.options;
    const days = config["sessions.retention_days"];
    const changed = days > 0 ? retainMemory(memory, { days }) : [];
    memory.setMeta(retainedAt, String(Date.now()));
    if (changed.length > 0) log.info(`deleted ${changed.length} sessions older than ${days} days`);
    return 0;
  }
}

function mayScrub({ config, log }: JobsOptions): boolean {
  const problem = whyNoModelScrubs(config);
  if (problem !== null && config["scrub.llm"]) log.warn(`scrub.llm: ${problem}`);
  return problem === null;
}

/** `llm` with a callback after each answer: null, or why there was none. */
function watched(llm: Llm, onAnswer: (problem: string | null) => void): Llm {
  return {
    id: llm.id,
    async generate(request, signal) {
      try {
        const answer = await llm.generate(request, signal);
        onAnswer(null);
        return answer;
      } catch (error) {
        if (codeOf(error) === "llm_unavailable") onAnswer(explanationOf(error));
        throw error;
      }
    },
  };
}

function budgetedLlm(
  { config, memory, log }: JobsOptions,
  purpose: "summary" | "scrub",
  onAnswer: (problem: string | null) => void,
): Llm | null {
  try {
    const llm = createLlm(config["llm.model"], llmSettingsOf(config));
    if (llm === null) return null;
    return createBudgetedLlm(watched(llm, onAnswer), {
      purpose,
      // A model on this machine costs nothing.
      dailyTokens: isLocal(llmSettingsOf(config), config["llm.model"])
        ? Number.POSITIVE_INFINITY
        : config["llm.daily_tokens"],
      spentToday() {
        const { input, output } = llmSpending(memory);
        return input + output;
      },
      record: (usage) => addLlmUsage(memory, { ...usage, dollars: usage.dollars ?? 0 }),
    });
  } catch (error) {
    log.warn(`llm.model: ${messageOf(error)}`);
    return null;
  }
}
