import { existsSync } from "node:fs";
import { agents } from "../../../../agents/registry.ts";
import { projectRoots } from "../../../../git/projects/roots.ts";
import type { Project } from "../../../../project/paths.ts";
import { withMemoryIfAny } from "../../../../queries/open.ts";
import { transcriptsThere, vanishingOf } from "../../../../sessions/ingest/vanishing.ts";
import { vanishingText } from "../../status/memory.ts";
import { type CheckResult, ok, warn } from "./check.ts";

/** Which sessions the agents' clients will delete soon, and whether they are stored by then. */
export async function checkRetention(project: Project): Promise<CheckResult> {
  const roots = await projectRoots(project.root);
  const found = await withMemoryIfAny(project, (memory) =>
    Promise.all(
      agents
        .filter((agent) => agent.retention !== undefined && agent.roots().some((root) => existsSync(root)))
        .map(async (agent) => {
          const transcripts = await transcriptsThere(agent, roots, memory);
          return vanishingOf(agent, project.root, () => transcripts);
        }),
    ),
  );
  const deleting = found.filter((one) => one !== null);
  const lost = deleting.find(({ sessions, stored }) => stored < sessions);
  if (lost) {
    return warn(
      vanishingText(lost),
      `Run \`pm import ${lost.agent}\`. ${lost.setting} in the settings of ${lost.title} says how long it keeps them (${lost.days} days).`,
    );
  }
  if (deleting.length === 0) return ok("no agent used here deletes its sessions");
  const texts = deleting.map(({ title, days, sessions, within_days }) => {
    const soon = sessions === 0 ? "none expires" : `${sessions} expire (all imported)`;
    return `${title} deletes sessions after ${days} days; ${soon} within ${within_days} days`;
  });
  return ok(texts.join("; "));
}
