import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { Agent } from "../../agents/agent.ts";
import type { Project } from "../../base/paths.ts";
import { findProjectIfAny } from "../../git/projects/find-project.ts";
import { findGoneProject, type SessionTraces } from "../../git/projects/gone-checkout.ts";

/** The project of a past session: of the directory that it ran in, or of the repository that one which is gone belonged to. */
export async function findPastProject(agent: Agent, path: string, cwd: string): Promise<Project | null> {
  if (!isAbsolute(cwd)) return null;
  if (existsSync(cwd)) return findProjectIfAny(cwd);
  return findGoneProject(cwd, () => readSessionTraces(agent, path, cwd));
}

/** As git says it of a commit that was made: `[retries 1a2b3c4] Retry three times`. */
const committed = /^\[[^\]\s]+(?: \([^)]*\))? ([0-9a-f]{7,40})\] /gm;

/** What a session left in its beginning: the first megabyte says where it was at work. */
async function readSessionTraces(agent: Agent, path: string, cwd: string): Promise<SessionTraces> {
  const [branches, files, commits] = [new Set<string>(), new Set<string>(), new Set<string>()];
  try {
    for await (const { lines } of agent.read(path, null)) {
      for (const { branch, entries } of lines) {
        if (branch !== null) branches.add(branch);
        for (const entry of entries) {
          if (entry.kind === "tool_use") for (const file of entry.files) files.add(resolve(cwd, file.path));
          if (entry.kind === "tool_result")
            for (const [, hash] of entry.text.matchAll(committed)) commits.add(hash!);
        }
      }
      break;
    }
  } catch {
    // It cannot be read: it leaves no traces.
  }
  return { branches: [...branches], files: [...files], commits: [...commits] };
}
