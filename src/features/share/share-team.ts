import { existsSync } from "node:fs";
import { changing } from "../../answers/changing.ts";
import { withMemory } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { gitTextIfAny } from "../../git/git.ts";
import { authorsHere, changedThings } from "../../store/memory/sharing.ts";
import { type TeamMember, teamServer } from "../../store/team/team-server.ts";
import type { TeamReport } from "../../sync/team/exchange-team.ts";
import {
  joinTeam,
  leaveTeam,
  notShared,
  shareWithTeam,
  type TeamOptions,
  type TeamSettings,
  type TeamState,
  teamState,
  withServer,
} from "../../sync/team/team.ts";
import { readTrust, shareAuthor } from "./share-git.ts";

/** Sharing a project's memory with a team, from the configuration. */

/** @throws PommelError `share_refused` where no name is known */
export async function teamSettings(root: string, config: Config): Promise<TeamSettings> {
  const author = await shareAuthor(root);
  if (author === null) {
    throw new PommelError(
      "share_refused",
      "Under which name to share is not known: git has no user.email.",
      "Choose one: `git config --global user.email ADDRESS`.",
    );
  }
  return { server: teamServer(config), author, trust: await readTrust(root) };
}

/** What all clones of a repository have in common: its first commit. A shallow clone does not have it. */
async function projectName(root: string): Promise<string> {
  const isShallow = (await gitTextIfAny(root, ["rev-parse", "--is-shallow-repository"])) === "true";
  const firsts = isShallow ? null : await gitTextIfAny(root, ["rev-list", "--max-parents=0", "HEAD"]);
  const [first] = (firsts ?? "").split("\n").sort();
  if (first) return first;
  throw new PommelError(
    "share_refused",
    "The project has no first commit by which colleagues' clones know it.",
    "Agree on a name: `pm share team on --project NAME`.",
  );
}

export async function startSharing(
  project: Project,
  name: string | undefined,
): Promise<TeamState & { isOwner: boolean }> {
  const settings = await teamSettings(project.root, loadConfig(project).config);
  return changing(
    project,
    async (work) => {
      const { isOwner } = await joinTeam(work, settings, name ?? (await projectName(project.root)));
      return { ...teamState(work)!, isOwner };
    },
    { create: true },
  );
}

export async function shareProject(project: Project, options: TeamOptions): Promise<TeamReport> {
  const settings = await teamSettings(project.root, loadConfig(project).config);
  return changing(project, (work) => shareWithTeam(work, settings, options));
}

export async function stopSharing(project: Project, how: { remove: boolean }): Promise<number> {
  const { config } = loadConfig(project);
  const settings = { server: teamServer(config) };
  return changing(project, (work) => leaveTeam(work, settings, how));
}

export interface TeamStatus {
  /** null: nothing is shared. */
  team: TeamState | null;
  /** What is not at the server yet. */
  waiting: number;
  /** Colleagues whose sessions or notes are here. */
  authors: string[];
}

/** From this machine alone. */
export async function teamStatus(project: Project): Promise<TeamStatus> {
  if (!existsSync(project.memoryDb)) return { team: null, waiting: 0, authors: [] };
  return withMemory(project, (memory) => ({
    team: teamState({ memory }),
    waiting: changedThings(memory, "team_changed").filter(({ kind }) => kind !== "event").length,
    authors: authorsHere(memory),
  }));
}

/** Who may share this project. */
export async function changeMembers(
  project: Project,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<{ members: TeamMember[]; authors: { author: string; records: number }[] }> {
  const { team } = await teamStatus(project);
  if (team === null) throw notShared();
  return withServer({ server: teamServer(loadConfig(project).config) }, async (server) => {
    if (add.length > 0) await server.addMembers(team.project, add);
    if (remove.length > 0) await server.removeMembers(team.project, remove);
    return { members: await server.members(team.project), authors: await server.authors(team.project) };
  });
}
