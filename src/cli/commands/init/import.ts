import type { Agent } from "../../../agents/agent.ts";
import { agents, placesOf } from "../../../agents/registry.ts";
import { call } from "../../../client/call.ts";
import { projectRoots } from "../../../git/projects/roots.ts";
import type { Project } from "../../../project/paths.ts";
import type { ImportPreview } from "../../../sessions/ingest/import-preview.ts";
import { type Output, tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";
import { importTranscripts } from "../import/import-transcripts.ts";
import type { ImportedSessions, StepPrinter } from "./steps.ts";

/** Sessions of an agent from before Pommel came here. */
export interface FoundSessions {
  agent: Agent;
  preview: ImportPreview;
}

/** Whatever a search may take before somebody is asked without its figures. Milliseconds. */
const searchedFor = 3000;

/**
 * Past sessions in this project, by agent; none where an agent's files cannot be read.
 * @param isWanted they are to be imported anyway, however long it takes to find them
 */
export async function findPastSessions(project: Project, isWanted: boolean): Promise<FoundSessions[]> {
  const signal = isWanted ? undefined : AbortSignal.timeout(searchedFor);
  const roots = await projectRoots(project.root);
  const found = await Promise.all(
    agents.map(async (agent) => {
      const asked = { agent, places: placesOf(agent, roots), since: null, allProjects: false };
      try {
        return { agent, preview: await call("previewImport", asked, project, { signal }) };
      } catch {
        // `pm import` reports their faults, which must not stop `pm init`.
        return null;
      }
    }),
  );
  return found.filter((one) => one !== null && one.preview.sessions > 0) as FoundSessions[];
}

/** Imports past sessions, and shows how far it is; Ctrl-C leaves the rest to the daemon. */
export async function importFound(
  project: Project,
  past: readonly FoundSessions[],
  { isBrief }: Pick<StepPrinter, "isBrief">,
  output: Output,
): Promise<ImportedSessions> {
  const imported: ImportedSessions = { sessions: 0, chunks: 0, failed: [], interrupted: false };
  const indent = isBrief ? "" : "      ";
  for (const { agent, preview } of past) {
    const followed = await importTranscripts(project, agent, preview.files);
    if (followed === null) {
      output.note(`${indent}The import continues in the daemon; \`pm daemon queue\` shows its progress.`);
      return { ...imported, interrupted: true };
    }
    imported.sessions += preview.sessions;
    imported.chunks += followed.chunks;
    imported.failed.push(...followed.failed);
  }
  const { sessions, chunks, failed } = imported;
  const mark = tick(failed.length > 0 ? "warn" : "ok", output.colors);
  output.print(`${indent}${mark} Imported ${counted(sessions, "session")} (${counted(chunks, "chunk")})`);
  if (failed.length > 0) {
    const which = counted(failed.length, "transcript");
    output.note(`${indent}  ${which} could not be read: \`pm daemon queue retry\` retries.`);
  }
  return imported;
}
