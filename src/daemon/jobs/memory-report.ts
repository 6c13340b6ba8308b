import { readJobsStatus } from "../../answers/jobs-status.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorMessage } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { describeMemory } from "../../features/status/describe-memory.ts";
import type { MemoryStatus, ModelStatus } from "../../features/status/operation.ts";
import { describeModels } from "../../features/status/status.ts";
import { listEmbedders } from "../../models/embed/embedders.ts";
import type { JobsStatus } from "../../protocol/queue.ts";
import { readCare } from "../../store/memory/backups/copies.ts";
import { countSessionChunks } from "../../store/memory/chunks/chunks.ts";
import { countSessionVectors } from "../../store/memory/chunks/vectors.ts";
import type { MemoryWork } from "./memory-work.ts";

/** The status of the memory and of the work on it. Never fails: problems of a memory are reported, too. */
export class MemoryReport {
  constructor(private readonly of: { project: Project; config: Config; work: MemoryWork }) {}

  reportJobs(): JobsStatus {
    return this.of.work.report(readJobsStatus, describeMemory(null, this.collectCircumstances()).jobs);
  }

  reportStatus(): MemoryStatus {
    const { work } = this.of;
    try {
      return describeMemory(work.memoryIfAny, this.collectCircumstances());
    } catch (error) {
      work.suspect(error);
      const circumstances = this.collectCircumstances();
      return describeMemory(null, {
        ...circumstances,
        problem: circumstances.problem ?? getErrorMessage(error),
      });
    }
  }

  private collectCircumstances() {
    const { config, project, work } = this.of;
    const version = work.open?.scrubber.lastVersion ?? null;
    return {
      config,
      file: project.memoryDb,
      problem: work.failure === null ? null : getErrorMessage(work.failure),
      llmProblem: work.open?.jobs.llmProblem ?? null,
      ...(version !== null && { scrubVersion: version }),
    };
  }

  reportModels(): ModelStatus[] {
    const { open } = this.of.work;
    if (!open) return [];
    const life = {
      progressOf: (model: string) => open.embedPass.findProgress(model),
      problemWith: () => null,
    };
    return this.of.work.report((memory) => {
      const stored = { total: countSessionChunks(memory), counts: countSessionVectors(memory) };
      return describeModels(listEmbedders(open.embedders), stored, life);
    }, []);
  }

  /** What a person should know. */
  listNotes(): string[] {
    const { open, failure } = this.of.work;
    const unsaved = readCare(this.of.project.memoryDb).backup?.problem ?? null;
    return [
      ...new Set([
        ...(open?.troubles ?? []),
        ...(failure === null ? [] : [getErrorMessage(failure)]),
        ...(unsaved === null ? [] : [`The last backup of the memory failed: ${unsaved}`]),
      ]),
    ];
  }
}
