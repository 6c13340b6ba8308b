import { branchAtHand } from "../../git/history/head.ts";
import { loadConfig } from "../../project/config/config.ts";
import type { Project } from "../../project/paths.ts";
import type { ContextRequest, ContextResponse } from "../../protocol/operations/context.ts";
import { SessionSearch } from "../../search/sessions/engine.ts";
import { withMemory } from "../../store/memory/with-memory.ts";
import { withIndex } from "../search/code.ts";
import { bundledQueryEmbedder } from "../search/embedder.ts";
import { answerContext } from "./answer.ts";
import { codeNamed } from "./named-code.ts";

/**
 * Previews the automatic context in this process. Nothing is recorded as injected.
 * @throws PommelError as `withMemory`, and what a search throws
 */
export async function previewContext(project: Project, request: ContextRequest): Promise<ContextResponse> {
  const { config } = loadConfig(project);
  // Without an index no code can be named.
  const named = await withIndex(project, config, (index) => codeNamed(index, request.prompt ?? "")).catch(
    () => [],
  );
  const embedder = config["embed.text"] === "none" ? null : await bundledQueryEmbedder();
  return withMemory(project, (memory) => {
    const search = new SessionSearch({ root: project.root, memory, embedder });
    const source = {
      // An edit cannot be previewed, and so no worktree matters.
      ...{ root: project.root, worktrees: [], memory, config, now: Date.now(), until: null },
      search: (query: Parameters<SessionSearch["search"]>[0]) => search.search(query),
      branch: () => branchAtHand(request.cwd ?? project.root),
      namedCode: async () => named,
    };
    return answerContext(source, { ...request, preview: true });
  });
}
