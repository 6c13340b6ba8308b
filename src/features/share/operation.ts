import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { RunContext } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";

/** Exchanges a project's memory through git. */
export const shareThroughGit = defineLocalOperation(async () => (await import("./share-git.ts")).syncProject);

/** Exchanges a project's memory through the team's server. */
export const shareWithTeam = defineLocalOperation(async () => {
  const { shareProject } = await import("./share-team.ts");
  return (project: Project, _: object, how: RunContext) => shareProject(project, how);
});

/** Begins to share a project through the team's server. */
export const startSharing = defineLocalOperation(async () => {
  const { startSharing } = await import("./share-team.ts");
  return (project: Project, { name }: { name: string | undefined }) => startSharing(project, name);
});

export const stopSharing = defineLocalOperation(async () => (await import("./share-team.ts")).stopSharing);

/** What of this machine is shared, and by whom. */
export const showTeam = defineLocalOperation(async () => (await import("./share-team.ts")).readTeamStatus);

export const changeMembers = defineLocalOperation(
  async () => (await import("./share-team.ts")).changeMembers,
);

/** Lists who signed what is here, or says whom to trust. */
export const changeTrust = defineLocalOperation(async () => (await import("./trust.ts")).trustIn);

/** How many things are new since the memory was shared last; null where sharing is not in use. */
export const countNotShared = defineLocalOperation(
  async () => (await import("./not-shared.ts")).countNotShared,
);
