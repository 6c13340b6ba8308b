import type { Config } from "../../base/config/settings.ts";
import { messageOf } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import type { JobsStatus } from "../../features/jobs/operation.ts";
import { describeMemory, jobsStatusOf } from "../../features/sessions/sessions.ts";
import type { MemoryStatus, ModelStatus } from "../../features/status/operation.ts";
import { describeModels } from "../../features/status/status.ts";
import { modelsOf } from "../../models/embed/embedders.ts";
import { careOf } from "../../store/memory/backups/copies.ts";
import { sessionChunkCount } from "../../store/memory/chunks/chunks.ts";
import { sessionVectorCounts } from "../../store/memory/chunks/vectors.ts";
import type { MemoryWork } from "./memory-work.ts";

/** The status of the memory and of the work on it. Never fails: problems of a memory are reported, too. */
export class MemoryReport {
  constructor(private readonly of: { project: Project; config: Config; work: MemoryWork }) {}

  jobs(): JobsStatus {
    return this.of.work.report(jobsStatusOf, describeMemory(null, this.circumstances()).jobs);
  }

  status(): MemoryStatus {
    const { work } = this.of;
    try {
      return describeMemory(work.memoryIfAny, this.circumstances());
    } catch (error) {
      work.suspect(error);
      const circumstances = this.circumstances();
      return describeMemory(null, { ...circumstances, problem: circumstances.problem ?? messageOf(error) });
    }
  }

  private circumstances() {
    const { config, project, work } = this.of;
    const version = work.open?.scrubber.lastVersion ?? null;
    return {
      config,
      file: project.memoryDb,
      problem: work.failure === null ? null : messageOf(work.failure),
      llmProblem: work.open?.jobs.llmProblem ?? null,
      ...(version !== null && { scrubVersion: version }),
    };
  }

  models(): ModelStatus[] {
    const { open } = this.of.work;
    if (!open) return [];
    const life = {
      progressOf: (model: string) => open.embedPass.progressOf(model),
      problemWith: () => null,
    };
    return this.of.work.report((memory) => {
      const stored = { total: sessionChunkCount(memory), counts: sessionVectorCounts(memory) };
      return describeModels(modelsOf(open.embedders), stored, life);
    }, []);
  }

  /** What a person should know. */
  notes(): string[] {
    const { open, failure } = this.of.work;
    const unsaved = careOf(this.of.project.memoryDb).backup?.problem ?? null;
    return [
      ...new Set([
        ...(open?.troubles ?? []),
        ...(failure === null ? [] : [messageOf(failure)]),
        ...(unsaved === null ? [] : [`The last backup of the memory failed: ${unsaved}`]),
      ]),
    ];
  }
}
