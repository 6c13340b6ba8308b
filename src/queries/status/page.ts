import { basename } from "node:path";
import { loadConfig } from "../../project/config/config.ts";
import { editorAddress } from "../../project/config/editors.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type { PageResponse } from "../../protocol/operations/daemon.ts";
import type { CodeIndex } from "../../store/index/port.ts";
import { branchesOfSessions, memoryCounts } from "../../store/memory/sessions/sessions.ts";
import { authorsHere } from "../../store/memory/team.ts";
import { withMemoryIfAny } from "../../store/memory/with-memory.ts";

/** What the local page needs before its first view: names, and the values of its filters. */
export async function describePage(project: Project, index: CodeIndex): Promise<PageResponse> {
  const { config } = loadConfig(project);
  const ofSessions = await withMemoryIfAny(project, (memory) => ({
    agents: memory === null ? [] : Object.keys(memoryCounts(memory).agents),
    authors: memory === null ? [] : authorsHere(memory),
    branches: memory === null ? [] : branchesOfSessions(memory),
  }));
  return {
    name: basename(project.root),
    root: project.root,
    version,
    editor: editorAddress(config["ui.editor"]),
    ...ofSessions,
    languages: await languagesOf(index),
  };
}

/** The most common first. A damaged index must not keep the page from showing sessions. */
async function languagesOf(index: CodeIndex): Promise<string[]> {
  const languages = await index.counts().then(
    (counts) => counts.languages,
    () => ({}),
  );
  return Object.entries(languages)
    .sort(([, a], [, b]) => b.files - a.files)
    .map(([name]) => name);
}
