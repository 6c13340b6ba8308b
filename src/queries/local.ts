import { withMemory, withMemoryOrNote } from "../answers/open.ts";
import type { Running } from "../answers/operation.ts";
import type { Project } from "../project/paths.ts";
import type { Reviewer } from "../redact/review.ts";
import type { Scrubber } from "../redact/scrubber.ts";
import type { CarryRequest } from "./attribution/carry.ts";
import type { ExportNotesRequest } from "./attribution/export-notes.ts";
import type { BackfillRequest } from "./checkpoints/checkpoints.ts";
import type { RewindRequest } from "./checkpoints/rewind.ts";
import type { AlineAsked, AlinePlan, PreviewRequest, TranscriptToImport } from "./sessions/import.ts";
import type { MemoryImportRequest, WriteLines } from "./sync/memory-file.ts";
import type { SyncRequest } from "./sync/sync.ts";
import type { TrustRequest } from "./sync/trust.ts";

/**
 * Operations of the process that asks, whether a daemon runs or not: they take minutes, or need its terminal, keys and
 * environment. HTTP does not serve them. Each is loaded on first use.
 */
const local = {
  backfill: async (project, request: BackfillRequest, how) =>
    (await import("./checkpoints/checkpoints.ts")).backfillHere(project, request, how),
  rewind: async (project, request: RewindRequest) => {
    const { rewindTo } = await import("./checkpoints/rewind.ts");
    return withMemoryOrNote(project, (memory) => rewindTo(project, memory, request));
  },
  findSecrets: async (project, { scrubber }: { scrubber: Scrubber }, { onProgress }) => {
    const { checkMemory } = await import("../sessions/scrub/scrub-check.ts");
    return withMemory(project, (memory) => checkMemory(memory, scrubber, onProgress));
  },
  reviewSecrets: async (project, { reviewer }: { reviewer: Reviewer }, { onProgress }) => {
    const { reviewMemory } = await import("../sessions/scrub/scrub-check.ts");
    return withMemory(project, (memory) => reviewMemory(memory, reviewer, onProgress));
  },
  exportNotes: async (project, request: ExportNotesRequest) => {
    const { exportNotes } = await import("./attribution/export-notes.ts");
    return withMemory(project, (memory) => exportNotes(project, memory, request));
  },
  exportTraces: async (project, { range }: { range: string | null }) => {
    const { exportTraces } = await import("./attribution/agent-trace.ts");
    return withMemory(project, async (memory) => {
      const records: object[] = [];
      for await (const record of exportTraces(project, memory, range)) records.push(record);
      return records;
    });
  },
  importTraces: async (project, { text, dryRun }: { text: string; dryRun: boolean }) =>
    (await import("./attribution/agent-trace.ts")).importTraces(project, text, { dryRun }),
  carryAttribution: async (project, request: CarryRequest, { signal }) =>
    (await import("./attribution/carry.ts")).carryAttribution(project, request, signal),
  exportTrajectory: async (project, { id, clean }: { id: string; clean: (text: string) => string }) =>
    (await import("./sessions/session-log.ts")).exportTrajectory(project, id, clean),
  exportMemory: async (project, { write }: { write: WriteLines }) =>
    (await import("./sync/memory-file.ts")).exportProject(project, write),
  importMemory: async (project, request: MemoryImportRequest, how) =>
    (await import("./sync/memory-file.ts")).importFile(project, request, how),
  previewImport: async (project, request: PreviewRequest, { signal }) =>
    (await import("./sessions/import.ts")).previewTranscripts(project, request, signal),
  followImport: async (project, { files }: { files: readonly TranscriptToImport[] }, how) =>
    (await import("./sessions/import.ts")).followImport(project, files, how),
  planAline: async (project, asked: AlineAsked) =>
    (await import("./sessions/import.ts")).planAline(project, asked),
  importAline: async (project, plan: AlinePlan, how) =>
    (await import("./sessions/import.ts")).importAline(project, plan, how),
  sync: async (project, request: SyncRequest, how) =>
    (await import("./sync/sync.ts")).syncProject(project, request, how),
  share: async (project, _: object, how) => (await import("./sync/team.ts")).shareProject(project, how),
  startSharing: async (project, { name }: { name: string | undefined }) =>
    (await import("./sync/team.ts")).startSharing(project, name),
  stopSharing: async (project, request: { remove: boolean }) =>
    (await import("./sync/team.ts")).stopSharing(project, request),
  teamStatus: async (project, _: object) => (await import("./sync/team.ts")).teamStatus(project),
  trust: async (project, request: TrustRequest) =>
    (await import("./sync/trust.ts")).trustIn(project, request),
  changeMembers: async (project, request: Record<"add" | "remove", readonly string[]>) =>
    (await import("./sync/team.ts")).changeMembers(project, request),
} satisfies Record<string, LocalOperation>;

type LocalOperation = (project: Project, request: never, how: Running) => Promise<unknown>;
type Upkeep = typeof import("./upkeep/upkeep.ts").upkeep;
type Operations = typeof local & Upkeep;
export type LocalName = keyof Operations;
export type LocalPlace<N extends LocalName> = Parameters<Operations[N]>[0];
export type LocalRequest<N extends LocalName> =
  Parameters<Operations[N]> extends [unknown, infer Q, ...unknown[]] ? Q : Record<string, never>;
export type LocalAnswer<N extends LocalName> = Awaited<ReturnType<Operations[N]>>;

/** @throws PommelError as the operation */
export async function runLocal<N extends LocalName>(
  place: LocalPlace<N>,
  name: N,
  request: LocalRequest<N>,
  how: Running,
): Promise<LocalAnswer<N>> {
  type Any = (place: unknown, request: unknown, how: Running) => unknown;
  if (!Object.hasOwn(local, name)) {
    const { upkeep } = await import("./upkeep/upkeep.ts");
    return (upkeep[name as keyof Upkeep] as Any)(place, request, how) as LocalAnswer<N>;
  }
  return (local[name as keyof typeof local] as Any)(place, request, how) as LocalAnswer<N>;
}
