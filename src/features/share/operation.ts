import { localOperation } from "../../answers/local-operation.ts";
import type { Running } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import type { SyncRequest } from "./share-git.ts";

/** Exchanges a project's memory through git. */
export const shareThroughGit = localOperation(async () => {
  const { syncProject } = await import("./share-git.ts");
  return (project: Project, request: SyncRequest, how: Running) => syncProject(project, request, how);
});

/** Exchanges a project's memory through the team's server. */
export const shareWithTeam = localOperation(async () => {
  const { shareProject } = await import("./share-team.ts");
  return (project: Project, _: object, how: Running) => shareProject(project, how);
});

/** Begins to share a project through the team's server. */
export const startSharing = localOperation(async () => {
  const { startSharing } = await import("./share-team.ts");
  return (project: Project, { name }: { name: string | undefined }) => startSharing(project, name);
});

export const stopSharing = localOperation(async () => (await import("./share-team.ts")).stopSharing);

/** What of this machine is shared, and by whom. */
export const showTeam = localOperation(async () => {
  const { teamStatus } = await import("./share-team.ts");
  return (project: Project) => teamStatus(project);
});

export const changeMembers = localOperation(async () => (await import("./share-team.ts")).changeMembers);

/** Lists who signed what is here, or says whom to trust. */
export const changeTrust = localOperation(async () => (await import("./trust.ts")).trustIn);
