import { launchVariables } from "../../agents/profiles.ts";
import { findProject, type Project, projectAround } from "../../project/paths.ts";

/**
 * The project that a server started in `cwd` answers for. The agent's own word for where it was launched comes first: it
 * stays when the agent goes elsewhere. Looked up for each call, as `pm init` may come later.
 * @throws PommelError `not_initialised`
 */
export function projectHere(cwd: string, env: NodeJS.ProcessEnv = process.env): Project {
  for (const dir of [...launchVariables.map((name) => env[name]), cwd]) {
    const project = dir ? projectAround(dir) : null;
    if (project !== null) return project;
  }
  return findProject(cwd);
}
