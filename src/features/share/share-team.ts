import { existsSync } from "node:fs";
import { changeMemory } from "../../answers/changing.ts";
import { withMemory } from "../../answers/open.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Config } from "../../base/config/settings.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { readGitTextIfAny } from "../../git/git.ts";
import { listChangedThings, listColleagues } from "../../store/memory/sharing.ts";
import { buildTeamServerSettings, type TeamMember } from "../../store/team/team-server.ts";
import { readTrust, shareAuthor } from "../../sync/origin/open-signing.ts";
import type { TeamReport } from "../../sync/team/exchange-team.ts";
import {
  joinTeam,
  leaveTeam,
  makeNotSharedError,
  readTeamState,
  shareWithTeam,
  type TeamOptions,
  type TeamSettings,
  type TeamState,
  withServer,
} from "../../sync/team/team.ts";

/** Sharing a project's memory with a team, from the configuration. */

/** @throws PommelError `share_refused` where no name is known */
export async function buildTeamSettings(root: string, config: Config): Promise<TeamSettings> {
  const author = await shareAuthor(root);
  if (author === null) {
    throw new PommelError(
      "share_refused",
      "Sharing needs your e-mail address, and git has no user.email.",
      "Set it: `git config --global user.email you@example.com`.",
    );
  }
  return { server: buildTeamServerSettings(config), author, trust: await readTrust(root) };
}

/** What all clones of a repository have in common: its first commit. A shallow clone does not have it. */
async function findProjectName(root: string): Promise<string> {
  const isShallow = (await readGitTextIfAny(root, ["rev-parse", "--is-shallow-repository"])) === "true";
  const firsts = isShallow ? null : await readGitTextIfAny(root, ["rev-list", "--max-parents=0", "HEAD"]);
  const [first] = (firsts ?? "").split("\n").sort();
  if (first) return first;
  throw new PommelError(
    "share_refused",
    "The project has no first commit, so your colleagues' clones cannot recognise it.",
    "Agree on a name: `pm share team on --project NAME`.",
  );
}

export async function startSharing(
  project: Project,
  name: string | undefined,
): Promise<TeamState & { isOwner: boolean }> {
  const settings = await buildTeamSettings(project.root, loadConfig(project).config);
  return changeMemory(
    project,
    async (work) => {
      const { isOwner } = await joinTeam(work, settings, name ?? (await findProjectName(project.root)));
      return { ...readTeamState(work)!, isOwner };
    },
    { create: true },
  );
}

export async function shareProject(project: Project, options: TeamOptions): Promise<TeamReport> {
  const settings = await buildTeamSettings(project.root, loadConfig(project).config);
  return changeMemory(project, (work) => shareWithTeam(work, settings, options));
}

export async function stopSharing(project: Project, how: { remove: boolean }): Promise<number> {
  const { config } = loadConfig(project);
  const settings = { server: buildTeamServerSettings(config) };
  return changeMemory(project, (work) => leaveTeam(work, settings, how));
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
export async function readTeamStatus(project: Project): Promise<TeamStatus> {
  if (!existsSync(project.memoryDb)) return { team: null, waiting: 0, authors: [] };
  return withMemory(project, (memory) => ({
    team: readTeamState({ memory }),
    waiting: listChangedThings(memory, "team_changed").filter(({ kind }) => kind !== "event").length,
    authors: listColleagues(memory),
  }));
}

/** Who may share this project. */
export async function changeMembers(
  project: Project,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<{ members: TeamMember[]; authors: { author: string; records: number }[] }> {
  const { team } = await readTeamStatus(project);
  if (team === null) throw makeNotSharedError();
  return withServer({ server: buildTeamServerSettings(loadConfig(project).config) }, async (server) => {
    if (add.length > 0) await server.addMembers(team.project, add);
    if (remove.length > 0) await server.removeMembers(team.project, remove);
    return {
      members: await server.listMembers(team.project),
      authors: await server.countRecordsByAuthor(team.project),
    };
  });
}
