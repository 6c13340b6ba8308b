import { findProject, type Project, projectAround } from "../../project/paths.ts";

/**
 * The project that a server started in `cwd` answers for. The agent's own word for where it was launched comes first: it
 * stays when the agent goes elsewhere. Looked up for each call, as `pm init` may come later.
 * @throws PommelError `not_initialised`
 */
export function projectHere(cwd: string, env: NodeJS.ProcessEnv = process.env): Project {
  for (const dir of [env.CLAUDE_PROJECT_DIR, cwd]) {
    const project = dir ? projectAround(dir) : null;
    if (project !== null) return project;
  }
  return findProject(cwd);
}

/** The agent's session that a server was started for, where the agent says. */
export function ownSession(env: NodeJS.ProcessEnv = process.env): string | null {
  return env.CLAUDE_CODE_SESSION_ID || null;
}
