import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { launchVariables } from "../../../agents/profiles.ts";
import { parsePlace } from "../../../answers/file-place.ts";
import { getErrorCode, PommelError } from "../../../base/errors.ts";
import { findUpwards, isInside, type Project } from "../../../base/paths.ts";
import { call } from "../../../client/call.ts";
import { locateSession } from "../../../features/sessions/operation.ts";
import { findKnownProject, findProject, findProjectIfAny } from "../../../git/projects/find-project.ts";
import type { CallContext, Tool } from "../../../tools/tool.ts";

/**
 * The project for which a server that was started in `cwd` answers. The agent's variable with its launch directory comes first,
 * because it stays the same when the agent changes directories. Call this for each call, as `pm init` may come later.
 * @throws PommelError `not_initialised`
 */
export async function findProjectHere(cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Project> {
  for (const dir of launchVariables.map((name) => env[name])) {
    const project = dir ? await findProjectAround(dir) : null;
    if (project !== null) return project;
  }
  return findProject(cwd);
}

/** The project around a directory; null unless it is known or a repository. */
async function findProjectAround(dir: string): Promise<Project | null> {
  if (!existsSync(dir)) return null;
  return findKnownProject(dir) ?? (findUpwards(dir, ".git") === null ? null : findProjectIfAny(dir));
}

/** Where a call is answered. */
export type CallSite = Pick<CallContext, "project" | "cwd" | "across">;

/** The parts of a tool that decide where a call is answered. */
export type Called = Pick<Tool, "input" | "findSession"> & { name: string };

/**
 * Finds where to answer a call. In a directory that is not a project but contains some, a call that names files is about their
 * project, one that names a session is about the project that stores it, and a search is about all of them.
 * @throws PommelError `not_initialised`; `usage` for an unknown project, and if a tool needs one project
 */
export async function resolveCallPlace(
  { name, input, findSession }: Called,
  args: object,
  { cwd, isAcross = false }: { cwd: string; isAcross?: boolean },
): Promise<CallSite> {
  const asked = (args as { project?: string }).project;
  if (asked !== undefined) {
    const project = (await import("../../../features/projects/known-projects.ts")).findProjectByName(
      asked,
      cwd,
    );
    return { project, cwd: project.root, across: null };
  }
  const makePlace = async (project: Project) => ({
    project,
    cwd: limitToRoot(project.root, cwd),
    across: isAcross ? project : null,
  });
  try {
    const project = await findProjectHere(cwd);
    const isOne =
      isAcross || findKnownProject(project.root) !== null || existsSync(join(project.root, ".git"));
    if (isOne || (await import("../../../answers/known-projects.ts")).listProjectsBelow(cwd).length === 0)
      return makePlace(project);
    throw new PommelError("not_initialised", `${cwd} contains projects, but is not one itself.`);
  } catch (error) {
    if (getErrorCode(error) !== "not_initialised") throw error;
    const { listProjectsBelow } = await import("../../../answers/known-projects.ts");
    const below = isAcross ? "" : cwd;
    const projects = listProjectsBelow(below);
    const [first, ...others] = projects.map((project): CallSite => ({ project, cwd, across: null }));
    if (first === undefined) throw error;
    const named = await findNamedProject(cwd, args);
    if (named !== null) return { ...first, project: named };
    if (others.length === 0) return { ...first, cwd: first.project.root };
    if ("all_projects" in input.shape) return { ...first, across: { below } };
    if (isNamed(findSession(args))) return first;
    throw new PommelError(
      "usage",
      `This server answers for ${projects.length} projects, and ${name} is about one of them.`,
      `Name a file of it, or start \`pm mcp -C\` in it: ${projects.map(({ root }) => root).join(", ")}.`,
    );
  }
}

/** Another place that stores the session which a call reads by its id; null: there is none, or the call reads no session. */
export async function findSessionPlace(
  { findSession }: Called,
  args: object,
  place: CallSite,
): Promise<CallSite | null> {
  const id = findSession(args);
  if (!isNamed(id)) return null;
  const { root } = await call(locateSession, { id, here: place.project.root }, null);
  return root === null ? null : { project: await findProject(root), cwd: root, across: null };
}

/** The directory to work in: `cwd`, or the project's root if `cwd` is outside of the project. */
function limitToRoot(root: string, cwd: string): string {
  return isInside(cwd, root) ? cwd : root;
}

/** The project of the files that a call names, if they are in one. */
async function findNamedProject(cwd: string, args: object): Promise<Project | null> {
  const {
    file = [],
    files = [],
    path = [],
    place = [],
  } = args as Record<string, string | string[] | undefined>;
  const places = [place].flat().map((one) => parsePlace(one).file);
  const named = [file, files, path, places].flat().map((one) => resolve(cwd, one));
  const projects = await Promise.all(
    named.map((one) => findProjectAround(existsSync(one) ? one : dirname(one))),
  );
  const [first = null] = projects;
  return projects.every((one) => one?.root === first?.root) ? first : null;
}

/** Whether an id names another session: "current" means the asking one, which is stored here. */
const isNamed = (id: string | null): id is string => id !== null && id !== "current";
