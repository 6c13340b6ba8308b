import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isBlankObject } from "../../agents/setup/json-entry.ts";
import type { SetupTarget } from "../../agents/setup.ts";
import { listProjects } from "../../answers/known-projects.ts";
import { deleteBackups, listBackupsElsewhere } from "../../answers/project-backups.ts";
import { describeEntry, locateTrash } from "../../answers/trash-entry.ts";
import { closeRegistry, trashProjects } from "../../answers/trash-projects.ts";
import { explainError } from "../../base/errors.ts";
import { inspectPlace, removeOwn, type SeenPlace } from "../../base/files/remove-own.ts";
import { listHomeDirectories, locateHome, locateRegistry } from "../../base/home.ts";
import { getOrCreate } from "../../base/multimap.ts";
import { isInside, makeNewProject, type Project } from "../../base/paths.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { stopDaemon } from "../../client/stop-daemon.ts";
import { GitFailure, readGitText } from "../../git/git.ts";
import { findProject, findProjectIfAny } from "../../git/projects/find-project.ts";
import { listFilesWithParts, listParts, takeParts } from "../../setup/plan.ts";
import { makeProjectPlace, makeUserPlace, readRecord } from "../../setup/record.ts";
import { agree } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { formatMark, type Output } from "../../terminal/output.ts";
import { formatCount, toHomeRelative } from "../../terminal/text.ts";
import type { TrashEntry } from "../forget/operation.ts";
import { listKept } from "./pm-enable.ts";

interface UninstallOptions {
  yes?: boolean;
  dryRun?: boolean;
  keepMemory?: boolean;
  forGood?: boolean;
}

/** A project in the JSON of `pm uninstall`. */
interface ProjectReport {
  root: string;
  /** `unreachable`: its directory is not there. */
  state: "to_remove" | "removed" | "failed" | "unreachable";
  /** What Pommel is in, from the root. */
  files: string[];
  /** Files that somebody changed: they stay. */
  kept: { file: string; reason: string }[];
  error: string | null;
}

/** The JSON of `pm uninstall`. */
interface UninstallResult {
  dry_run: boolean;
  keep_memory: boolean;
  for_good: boolean;
  /** What `pm memory undo` brings back after a new installation; null: nothing is kept there. */
  trash: TrashEntry | null;
  projects: ProjectReport[];
  /** The user's own files, from the home, and directories. */
  user: {
    files: string[];
    directories: { path: string; bytes: number }[];
    /** Of the memories in them. */
    memory_bytes: number;
    /** Folders outside of these directories that have backups. */
    backups: { path: string; bytes: number }[];
    error: string | null;
  };
  /** Files that have a line for completion in them, which only their owner can take out. */
  completions: string[];
}

/** `pm uninstall`: takes Pommel out of all projects and the user's files, after showing what that is. */
export async function uninstallCommand(
  { cwd, output }: CommandContext,
  { yes = false, dryRun = false, keepMemory = false, forGood = false }: UninstallOptions,
): Promise<number> {
  const roots = await listRootsToClear(cwd);
  const projects = new Map(
    await Promise.all(
      roots.map(async (root) => [root, await findProject(root).catch(() => makeNewProject(root))] as const),
    ),
  );
  const seen = listUserDirectories();
  const result: UninstallResult = {
    dry_run: dryRun,
    keep_memory: keepMemory,
    for_good: forGood,
    trash: null,
    projects: await Promise.all([...projects].map(previewRemoval)),
    user: {
      files: await listFilesWithParts(listParts(makeUserPlace())),
      directories: seen.map(({ path }) => ({ path, bytes: measureBytes(path) })),
      memory_bytes: measureBytes(getProjectsDir()),
      backups: listBackupFolders(),
      error: null,
    },
    completions: listCompletionFiles(),
  };
  for (const line of describe(result, output)) output.print(line);
  if (dryRun) {
    output.result(result, "\nNothing was removed (--dry-run).");
    return 0;
  }
  if (
    !yes &&
    isSomething(result) &&
    !(await agree(output, "This command asks first", "\nRemove all of this?"))
  )
    return 1;
  const places = [...[...projects.values()].map((project) => makeProjectPlace(project)), makeUserPlace()];
  const created = places.flatMap(listCreatedFiles);
  for (const report of result.projects) {
    if (report.state === "to_remove") await clearProject(report, projects.get(report.root)!);
    if (!output.json) for (const line of formatOutcome(report)) output.note(line);
  }
  const failed = result.projects.filter(({ state }) => state === "failed");
  // After the hooks, which would start it again.
  await stopDaemon();
  await clearUser(result, seen, { keepsRecords: failed.length > 0, keepsMemory: keepMemory, forGood });
  for (const file of created) removeIfBlank(file);
  for (const path of listHomeDirectories().filter(isLink))
    output.note(
      `${formatMark("warn", output.colors)} ${toHomeRelative(path)} is a link, and was left as it is.`,
    );
  if (result.user.error !== null) output.note(`${formatMark("warn", output.colors)} ${result.user.error}`);
  output.result(result, () => formatUninstallSummary(result, output));
  return failed.length > 0 || result.user.error !== null ? 1 : 0;
}

/** Every checkout that is known, and the one that somebody is in. */
async function listRootsToClear(cwd: string): Promise<string[]> {
  // Looking into a registry makes one.
  if (!existsSync(locateRegistry())) return [];
  const here = await findProjectIfAny(cwd);
  const listed = listProjects();
  const known = listed.flatMap(({ checkouts }) => checkouts.map(({ root }) => root));
  const isHere = here !== null && (await listFilesWithParts(listParts(makeProjectPlace(here)))).length > 0;
  return [...new Set([...known, ...(isHere ? [here.root] : [])])];
}

async function previewRemoval([root, project]: [root: string, project: Project]): Promise<ProjectReport> {
  const report: ProjectReport = {
    root,
    state: existsSync(root) ? "to_remove" : "unreachable",
    files: [],
    kept: [],
    error: null,
  };
  if (report.state === "to_remove")
    report.files = await listFilesWithParts(listParts(makeProjectPlace(project)));
  return report;
}

async function clearProject(report: ProjectReport, project: Project): Promise<void> {
  try {
    const { taken, failures } = await takeParts(makeProjectPlace(project));
    report.kept = listKept(taken);
    if (failures.length > 0) throw failures[0];
    await removeRefs(report.root);
    report.state = "removed";
  } catch (error) {
    report.state = "failed";
    report.error = explainError(error);
  }
}

/** What sharing the memory left in the repository; a branch on a server is others' as well, and stays. */
async function removeRefs(root: string): Promise<void> {
  try {
    const refs = await readGitText(root, ["for-each-ref", "--format=%(refname)", "refs/pommel"]);
    for (const ref of refs.split("\n")) if (ref !== "") await readGitText(root, ["update-ref", "-d", ref]);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
  }
}

/** Folders outside of Pommel's directories with backups of this machine's projects. */
function listBackupFolders(): { path: string; bytes: number }[] {
  const folders = new Map<string, { path: string; bytes: number }>();
  for (const { file, bytes } of listProjects().flatMap(({ project }) => listBackupsElsewhere(project))) {
    const path = dirname(file);
    getOrCreate(folders, path, () => ({ path, bytes: 0 })).bytes += bytes;
  }
  return [...folders.values()];
}

const isLink = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const listUserDirectories = (): SeenPlace[] =>
  listHomeDirectories().flatMap((path) => (isLink(path) ? [] : (inspectPlace(path) ?? [])));

const getProjectsDir = () => join(locateHome().dataDir, "projects");

interface KeptOnUninstall {
  /** What says which files were changed, and how: there are some left. */
  keepsRecords: boolean;
  keepsMemory: boolean;
  forGood: boolean;
}

/** @param seen directories as they were when somebody agreed to remove them */
async function clearUser(
  result: UninstallResult,
  seen: readonly SeenPlace[],
  { keepsRecords, keepsMemory, forGood }: KeptOnUninstall,
): Promise<void> {
  const { configDir, dataDir } = locateHome();
  const keepsProjects = keepsMemory || keepsRecords;
  try {
    const { failures } = await takeParts(makeUserPlace());
    if (failures.length > 0) throw failures[0];
    const removed = keepsProjects ? [] : listProjects();
    if (forGood) for (const { project } of removed) deleteBackups(project);
    const known = forGood ? [] : removed.filter(({ project }) => existsSync(project.memoryDb));
    if (known.length > 0) {
      const what = known.map(({ name }) => name).join(", ");
      const ids = known.map(({ id }) => id);
      result.trash = describeEntry(trashProjects(ids, "pm uninstall", what));
    }
    closeRegistry();
    const kept = [
      ...(keepsProjects ? [getProjectsDir(), locateRegistry()] : []),
      ...(forGood ? [] : [locateTrash()]),
    ].filter((path) => existsSync(path));
    // Without them, what is kept cannot be read.
    if (keepsMemory || kept.includes(locateTrash()))
      kept.push(join(dataDir, "encryption.json"), join(configDir, "keys"), join(configDir, "sync-key.txt"));
    // What this run has made is no surprise.
    for (const made of listUserDirectories()) {
      clearDirectory(seen.find(({ path }) => path === made.path) ?? made, kept);
      removeEmptyParents(made.path);
    }
  } catch (error) {
    result.user.error = explainError(error);
  }
}

function clearDirectory(directory: SeenPlace, kept: readonly string[]): void {
  const { path: dir } = directory;
  if (!kept.some((path) => existsSync(path) && isInside(path, dir))) {
    removeOwn(dir, directory);
    return;
  }
  for (const name of readdirSync(dir)) {
    const path = join(dir, name);
    // What is kept is no repository's either.
    if (name === ".gitignore") continue;
    if (!kept.some((one) => isInside(path, one))) removeOwn(path);
  }
}

/** `~/.local/share` and the like, where nothing else is in them. */
function removeEmptyParents(directory: string): void {
  for (let dir = dirname(directory); isInside(dir, homedir()) && dir !== homedir(); dir = dirname(dir)) {
    try {
      rmdirSync(dir);
    } catch {
      return;
    }
  }
}

/** Files that were not there before Pommel, by one of its records: another may have added to them, and not know it. */
function listCreatedFiles(place: SetupTarget): string[] {
  const files = Object.entries(readRecord(place).files).filter(([, { created }]) => created);
  return files.map(([name]) => resolve(place.dir, name));
}

function removeIfBlank(file: string): void {
  try {
    if (isBlankObject(readFileSync(file, "utf8"))) rmSync(file);
  } catch {
    // It is gone, as it should be, or not ours to remove.
  }
}

/** Bytes of a file, or of all in a directory; links count as themselves. */
function measureBytes(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + measureBytes(join(path, name)), 0);
}

function listCompletionFiles(): string[] {
  const home = homedir();
  const files = [".bashrc", ".bash_profile", ".zshrc", ".zprofile"].map((name) => join(home, name));
  const fish = join(process.env.XDG_CONFIG_HOME || join(home, ".config"), "fish", "completions", "pm.fish");
  const mentions = (file: string) => {
    try {
      return readFileSync(file, "utf8").includes("pm completion");
    } catch {
      return false;
    }
  };
  return [...files.filter(mentions), ...(existsSync(fish) ? [fish] : [])];
}

function isSomething({ projects, user }: UninstallResult): boolean {
  return projects.length > 0 || user.files.length > 0 || user.directories.length > 0;
}

function describe(result: UninstallResult, output: Output): string[] {
  const { projects, user, keep_memory, for_good } = result;
  const { bold, dim, warn } = output.colors;
  if (!isSomething(result)) return ["Nothing to remove: only the program itself is installed."];
  const lines: string[] = [];
  for (const { root, state, files } of projects) {
    lines.push(bold(toHomeRelative(root)));
    if (state === "unreachable") {
      lines.push(dim("  not reachable, left as it is; run `pm uninstall` again when it is back"));
      continue;
    }
    if (files.length > 0) lines.push(`  Pommel's entries in ${files.map(toHomeRelative).join(", ")}`);
  }
  if (user.files.length + user.directories.length > 0) lines.push(bold("For all projects"));
  for (const { path, bytes } of user.directories)
    lines.push(`  ${toHomeRelative(path)}/  ${formatBytes(bytes)}`);
  if (user.memory_bytes > 0) {
    const fate = keep_memory
      ? "kept"
      : for_good
        ? warn("gone for good: sessions, notes, decisions")
        : "it stays in the trash";
    lines.push(`  including the memory of all projects, ${formatBytes(user.memory_bytes)} (${fate})`);
  }
  if (for_good && !keep_memory && existsSync(join(locateHome().configDir, "sync-key.txt"))) {
    lines.push(`  ${warn("including sync-key.txt: without it, an encrypted shared memory cannot be read")}`);
  }
  for (const { path, bytes } of user.backups) {
    const fate = for_good && !keep_memory ? warn("deleted as well") : "these stay";
    lines.push(`  backups in ${toHomeRelative(path)}/, ${formatBytes(bytes)} (${fate})`);
  }
  if (user.files.length > 0)
    lines.push(`  Pommel's entries in ${user.files.map((file) => `~/${file}`).join(", ")}`);
  return lines;
}

function formatOutcome({ root, state, kept, error }: ProjectReport): string[] {
  const lines = kept.map(
    ({ file, reason }) => `  ${toHomeRelative(root)}: ${file} was left as it is: ${reason}.`,
  );
  if (state === "failed") lines.push(`  ${toHomeRelative(root)}: not removed: ${error}`);
  return lines;
}

function formatUninstallSummary(
  { projects, user, completions, keep_memory, trash }: UninstallResult,
  output: Output,
): string {
  const count = (state: ProjectReport["state"]) => projects.filter((one) => one.state === state).length;
  const lines: string[] = [];
  const failed = count("failed");
  const isCleared = user.error === null;
  const cleared = [formatCount(count("removed"), "checkout"), ...(isCleared ? ["your own files"] : [])];
  const left = [
    ...(failed > 0 ? [formatCount(failed, "checkout")] : []),
    ...(isCleared ? [] : ["some of your own files, and what Pommel stored"]),
  ];
  const mark = formatMark(left.length > 0 ? "warn" : "ok", output.colors);
  lines.push(`${mark} Pommel is removed from ${cleared.join(" and ")}.`);
  if (left.length > 0) lines.push(`  Left: ${left.join("; ")}. See above, then run \`pm uninstall\` again.`);
  if (keep_memory) lines.push("  The memory is kept: Pommel finds it again when it is installed.");
  if (trash) {
    lines.push(
      `  The memory is in ${toHomeRelative(locateTrash())}: \`pm memory undo\` brings it back after a new installation.`,
      "  `pm uninstall --for-good` deletes it as well.",
    );
  }
  for (const file of completions)
    lines.push(`  Remove the completion of \`pm\` from ${toHomeRelative(file)}.`);
  if (left.length === 0) lines.push("", "Finally, remove the program:", "  npm uninstall -g pommel");
  return lines.join("\n");
}
