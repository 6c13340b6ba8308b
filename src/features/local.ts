import { withMemory, withMemoryOrNote } from "../answers/open.ts";
import type { Running } from "../answers/operation.ts";
import type { Project } from "../base/paths.ts";
import type { Reviewer } from "../redact/review.ts";
import type { Scrubber } from "../redact/scrubber.ts";
import type { BackfillRequest } from "./checkpoints/checkpoints.ts";
import type { CarryRequest } from "./exchange/carry.ts";
import type { ExportNotesRequest } from "./exchange/export-notes.ts";
import type { AlineAsked, AlinePlan, PreviewRequest, TranscriptToImport } from "./import/import.ts";
import type { MemoryImportRequest, WriteLines } from "./memory-file/memory-file.ts";
import type { RewindRequest } from "./rewind/rewind.ts";
import type { SyncRequest } from "./share/share-git.ts";
import type { TrustRequest } from "./share/trust.ts";

/**
 * Operations of the process that asks, whether a daemon runs or not: they take minutes, or need its terminal, keys and
 * environment. HTTP does not serve them. Each is loaded on first use.
 */
const local = {
  backfill: async (project, request: BackfillRequest, how) =>
    (await import("./checkpoints/checkpoints.ts")).backfillHere(project, request, how),
  rewind: async (project, request: RewindRequest) => {
    const { rewindTo } = await import("./rewind/rewind.ts");
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
    const { exportNotes } = await import("./exchange/export-notes.ts");
    return withMemory(project, (memory) => exportNotes(project, memory, request));
  },
  exportTraces: async (project, { range }: { range: string | null }) => {
    const { exportTraces } = await import("./exchange/agent-trace.ts");
    return withMemory(project, async (memory) => {
      const records: object[] = [];
      for await (const record of exportTraces(project, memory, range)) records.push(record);
      return records;
    });
  },
  importTraces: async (project, { text, dryRun }: { text: string; dryRun: boolean }) =>
    (await import("./exchange/agent-trace.ts")).importTraces(project, text, { dryRun }),
  carryAttribution: async (project, request: CarryRequest, { signal }) =>
    (await import("./exchange/carry.ts")).carryAttribution(project, request, signal),
  exportTrajectory: async (project, { id, clean }: { id: string; clean: (text: string) => string }) =>
    (await import("./sessions/session-log.ts")).exportTrajectory(project, id, clean),
  exportMemory: async (project, { write }: { write: WriteLines }) =>
    (await import("./memory-file/memory-file.ts")).exportProject(project, write),
  importMemory: async (project, request: MemoryImportRequest, how) =>
    (await import("./memory-file/memory-file.ts")).importFile(project, request, how),
  previewImport: async (project, request: PreviewRequest, { signal }) =>
    (await import("./import/import.ts")).previewTranscripts(project, request, signal),
  followImport: async (project, { files }: { files: readonly TranscriptToImport[] }, how) =>
    (await import("./import/import.ts")).followImport(project, files, how),
  countGone: async (project, { paths }: { paths: readonly string[] }) =>
    (await import("./import/import.ts")).countGone(project, paths),
  planAline: async (project, asked: AlineAsked) =>
    (await import("./import/import.ts")).planAline(project, asked),
  importAline: async (project, plan: AlinePlan, how) =>
    (await import("./import/import.ts")).importAline(project, plan, how),
  sync: async (project, request: SyncRequest, how) =>
    (await import("./share/share-git.ts")).syncProject(project, request, how),
  share: async (project, _: object, how) =>
    (await import("./share/share-team.ts")).shareProject(project, how),
  startSharing: async (project, { name }: { name: string | undefined }) =>
    (await import("./share/share-team.ts")).startSharing(project, name),
  stopSharing: async (project, request: { remove: boolean }) =>
    (await import("./share/share-team.ts")).stopSharing(project, request),
  teamStatus: async (project, _: object) => (await import("./share/share-team.ts")).teamStatus(project),
  trust: async (project, request: TrustRequest) =>
    (await import("./share/trust.ts")).trustIn(project, request),
  changeMembers: async (project, request: Record<"add" | "remove", readonly string[]>) =>
    (await import("./share/share-team.ts")).changeMembers(project, request),
} satisfies Record<string, LocalOperation>;

type LocalOperation = (project: Project, request: never, how: Running) => Promise<unknown>;
type Upkeep = typeof import("./upkeep.ts").upkeep;
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
    const { upkeep } = await import("./upkeep.ts");
    return (upkeep[name as keyof Upkeep] as Any)(place, request, how) as LocalAnswer<N>;
  }
  return (local[name as keyof typeof local] as Any)(place, request, how) as LocalAnswer<N>;
}
