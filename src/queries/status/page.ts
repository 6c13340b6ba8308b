import { basename } from "node:path";
import { loadConfig } from "../../project/config/config.ts";
import { editorAddress } from "../../project/config/editors.ts";
import type { Config } from "../../project/config/settings.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type { PageResponse } from "../../protocol/operations/daemon.ts";
import { branchesOfSessions, memoryCounts } from "../../store/memory/sessions/sessions.ts";
import { authorsHere } from "../../store/memory/sharing.ts";
import { withIndex, withMemoryIfAny } from "../open.ts";

/** What the local page needs before its first view: names, and the values of its filters. */
export async function describePage(project: Project): Promise<PageResponse> {
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
    languages: await languagesOf(project, config),
  };
}

/** The most common first. A damaged index must not keep the page from showing sessions. */
async function languagesOf(project: Project, config: Config): Promise<string[]> {
  const languages = await withIndex(project, config, async (index) => (await index.counts()).languages).catch(
    () => ({}),
  );
  return Object.entries(languages)
    .sort(([, a], [, b]) => b.files - a.files)
    .map(([name]) => name);
}
