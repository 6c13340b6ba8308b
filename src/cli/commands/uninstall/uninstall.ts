import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative, resolve } from "node:path";
import { setups } from "../../../agents/registry.ts";
import { isBlankObject } from "../../../agents/setup/json-entry.ts";
import { partState } from "../../../agents/setup/parts.ts";
import { projectPlace, readRecord, userPlace } from "../../../agents/setup/record.ts";
import type { Place } from "../../../agents/setup.ts";
import { stopDaemon } from "../../../client/stop-daemon.ts";
import { GitFailure, gitText } from "../../../git/git.ts";
import { gitHooksState } from "../../../git/hooks/state.ts";
import { projectRoots } from "../../../git/project-roots.ts";
import { explanationOf, messageOf, PommelError } from "../../../project/errors.ts";
import {
  findProjectIfAny,
  globalCacheDir,
  globalConfigDir,
  globalDataDir,
  type Project,
  projectAt,
} from "../../../project/paths.ts";
import { hasIgnoreLine, removeIgnoreLine } from "../../../project/state-dir.ts";
import { forgetProjects, listProjects } from "../../../queries/known-projects.ts";
import { registryFile } from "../../../store/registry.ts";
import type { CommandContext } from "../../frame.ts";
import { canAsk, confirm } from "../../terminal/confirm.ts";
import { humanBytes, type Output, tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";
import { removeFromGit, takeAll } from "../enable/disable.ts";
import { homeRelative } from "../search/across.ts";

interface UninstallOptions {
  yes?: boolean;
  dryRun?: boolean;
  keepMemory?: boolean;
}

/** A project in the JSON of `pm uninstall`. */
interface ProjectReport {
  root: string;
  /** `unreachable`: its directory is not there. */
  state: "to_remove" | "removed" | "failed" | "unreachable";
  /** What else than `.pommel/` Pommel is in, from the root. */
  files: string[];
  /** Of `.pommel/`, and of the memory in it. */
  bytes: number;
  memory_bytes: number;
  /** Files that somebody changed: they stay. */
  kept: { file: string; reason: string }[];
  error: string | null;
}

/** The JSON of `pm uninstall`. */
interface UninstallResult {
  dry_run: boolean;
  keep_memory: boolean;
  projects: ProjectReport[];
  /** The user's own files, from the home, and directories. */
  user: { files: string[]; directories: { path: string; bytes: number }[]; error: string | null };
  /** Files that have a line for completion in them, which only their owner can take out. */
  completions: string[];
}

/** `pm uninstall`: takes Pommel out of all projects and the user's files, after showing what that is. */
export async function uninstallCommand(
  { cwd, output }: CommandContext,
  { yes = false, dryRun = false, keepMemory = false }: UninstallOptions,
): Promise<number> {
  const roots = await rootsToClear(cwd);
  const result: UninstallResult = {
    dry_run: dryRun,
    keep_memory: keepMemory,
    projects: await Promise.all(roots.map(previewOf)),
    user: {
      files: filesOf(userPlace()),
      directories: userDirectories().map((path) => ({ path, bytes: sizeOf(path) })),
      error: null,
    },
    completions: completionFiles(),
  };
  for (const line of describe(result, output)) output.print(line);
  if (dryRun) {
    output.result(result, "\nNothing was removed (--dry-run).");
    return 0;
  }
  if (!yes && isSomething(result)) {
    if (!canAsk(output)) {
      throw new PommelError(
        "usage",
        "There is no terminal to ask at.",
        "Run `pm uninstall --yes` to remove all of this.",
      );
    }
    if (!(await confirm("\nRemove all of this?", false))) {
      output.print("Nothing was removed.");
      return 1;
    }
  }
  const places = [...roots.map((root) => projectPlace(projectAt(root))), userPlace()];
  const created = places.flatMap(createdFiles);
  for (const report of result.projects) {
    if (report.state === "to_remove") await clearProject(report, keepMemory);
    // So that another run continues with the rest, and projects that cannot be removed do not stay listed forever.
    if (report.state !== "failed") forgetProjects(report.root);
    if (!output.json) for (const line of outcomeOf(report)) output.note(line);
  }
  const failed = result.projects.filter(({ state }) => state === "failed");
  clearUser(result, { keepList: failed.length > 0, keepKey: keepMemory });
  for (const file of created) removeIfBlank(file);
  if (result.user.error !== null) output.note(`${tick("warn", output.colors)} ${result.user.error}`);
  output.result(result, () => lastWords(result, output));
  return failed.length > 0 || result.user.error !== null ? 1 : 0;
}

/** Every project that is known here, and the one that somebody is in, with those in their linked worktrees. */
async function rootsToClear(cwd: string): Promise<string[]> {
  const here = findProjectIfAny(cwd);
  // Looking into a registry makes one.
  const listed = existsSync(registryFile()) ? listProjects() : [];
  const known = [...listed.map(({ root }) => root), ...(here === null ? [] : [here.root])];
  const roots = new Set(known);
  for (const root of known) {
    if (!existsSync(root)) continue;
    const worktrees = await projectRoots(root).catch(() => []);
    for (const worktree of worktrees) if (existsSync(projectAt(worktree).stateDir)) roots.add(worktree);
  }
  return [...roots];
}

async function previewOf(root: string): Promise<ProjectReport> {
  const project = projectAt(root);
  const report: ProjectReport = {
    root,
    state: existsSync(root) ? "to_remove" : "unreachable",
    files: [],
    bytes: 0,
    memory_bytes: 0,
    kept: [],
    error: null,
  };
  if (report.state === "unreachable") return report;
  const { state, dir } = await gitHooksState(project);
  report.files = [
    ...filesOf(projectPlace(project)),
    ...(dir !== null && (state === "installed" || state === "partial") ? [`${dir}/`] : []),
    ...(hasIgnoreLine(root) ? [".gitignore"] : []),
  ];
  report.bytes = sizeOf(project.stateDir);
  report.memory_bytes = memoryFiles(project).reduce(
    (sum, name) => sum + sizeOf(join(project.stateDir, name)),
    0,
  );
  return report;
}

/** The files of agents that something of ours is in, as results name them. */
function filesOf(place: Place): string[] {
  const found = setups.flatMap((setup) => setup.parts.map((part) => partState(place, setup, part)));
  const files = found.flatMap(({ state, file }) => (state === "absent" || file === null ? [] : file));
  return [...new Set(files)];
}

/** The memory, its backups, and what keeps them out of git. */
function memoryFiles({ stateDir }: Project): string[] {
  return existsSync(stateDir) ? readdirSync(stateDir).filter((name) => name.startsWith("memory.db")) : [];
}

/** Hooks go first, so that nothing restarts what is being removed. */
async function clearProject(report: ProjectReport, keepMemory: boolean): Promise<void> {
  const project = projectAt(report.root);
  try {
    const taken = takeAll(projectPlace(project));
    report.kept = taken
      .filter(({ outcome }) => outcome === "kept")
      .map(({ file, detail }) => ({ file, reason: detail.join("; ") }));
    await removeFromGit(project);
    await removeRefs(report.root);
    removeIgnoreLine(report.root);
    await stopDaemon(project);
    const kept = keepMemory ? new Set([...memoryFiles(project), ".gitignore"]) : new Set<string>();
    if (kept.size > 1) {
      for (const name of readdirSync(project.stateDir)) {
        if (!kept.has(name)) rmSync(join(project.stateDir, name), { recursive: true, force: true });
      }
    } else {
      rmSync(project.stateDir, { recursive: true, force: true });
    }
    report.state = "removed";
  } catch (error) {
    report.state = "failed";
    report.error = error instanceof PommelError ? explanationOf(error) : messageOf(error);
  }
}

/** What sharing the memory left in the repository; a branch on a server is others' as well, and stays. */
async function removeRefs(root: string): Promise<void> {
  try {
    const refs = await gitText(root, ["for-each-ref", "--format=%(refname)", "refs/pommel"]);
    for (const ref of refs.split("\n")) if (ref !== "") await gitText(root, ["update-ref", "-d", ref]);
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
  }
}

function userDirectories(): string[] {
  return [globalConfigDir(), globalDataDir(), globalCacheDir()].filter((path) => existsSync(path));
}

/** @param keep `keepList`: some projects are left in the registry; `keepKey`: that of the shared memory */
function clearUser({ user }: UninstallResult, keep: { keepList: boolean; keepKey: boolean }): void {
  const kept = [
    ...(keep.keepList ? [join(globalDataDir(), "registry.db")] : []),
    ...(keep.keepKey ? [join(globalConfigDir(), "sync-key.txt")] : []),
  ];
  try {
    takeAll(userPlace());
    for (const directory of userDirectories()) {
      const inside = kept.filter((file) => existsSync(file) && !relative(directory, file).startsWith(".."));
      if (inside.length === 0) rmSync(directory, { recursive: true, force: true });
      else {
        for (const name of readdirSync(directory)) {
          const path = join(directory, name);
          if (!inside.some((file) => path.startsWith(file))) rmSync(path, { recursive: true, force: true });
        }
      }
    }
  } catch (error) {
    user.error = error instanceof PommelError ? explanationOf(error) : messageOf(error);
  }
}

/** Files that were not there before Pommel, by one of its records: another may have added to them, and not know it. */
function createdFiles(place: Place): string[] {
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
function sizeOf(path: string): number {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function completionFiles(): string[] {
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
  const { projects, user, keep_memory } = result;
  const { bold, dim, warn } = output.colors;
  if (!isSomething(result)) return ["Nothing to remove: only the program itself is installed."];
  const lines: string[] = [];
  for (const { root, state, files, bytes, memory_bytes } of projects) {
    lines.push(bold(homeRelative(root)));
    if (state === "unreachable") {
      lines.push(dim("  not reachable, left as it is; run `pm uninstall` again when it is back"));
      continue;
    }
    const memory = memory_bytes > 0 ? humanBytes(memory_bytes) : null;
    const fate = keep_memory ? "kept" : warn("gone for good: sessions, notes, decisions");
    lines.push(
      `  .pommel/  ${humanBytes(bytes)}${memory === null ? "" : `, including memory ${memory} (${fate})`}`,
    );
    if (files.length > 0) lines.push(`  Pommel's entries in ${files.map(homeRelative).join(", ")}`);
  }
  if (user.files.length + user.directories.length > 0) lines.push(bold("For all projects"));
  for (const { path, bytes } of user.directories)
    lines.push(`  ${homeRelative(path)}/  ${humanBytes(bytes)}`);
  if (!keep_memory && existsSync(join(globalConfigDir(), "sync-key.txt"))) {
    lines.push(`  ${warn("including sync-key.txt: without it, an encrypted shared memory cannot be read")}`);
  }
  if (user.files.length > 0)
    lines.push(`  Pommel's entries in ${user.files.map((file) => `~/${file}`).join(", ")}`);
  return lines;
}

function outcomeOf({ root, state, kept, error }: ProjectReport): string[] {
  const lines = kept.map(
    ({ file, reason }) => `  ${homeRelative(root)}: ${file} was left as it is: ${reason}.`,
  );
  if (state === "failed") lines.push(`  ${homeRelative(root)}: not removed: ${error}`);
  return lines;
}

function lastWords({ projects, completions, keep_memory }: UninstallResult, output: Output): string {
  const count = (state: ProjectReport["state"]) => projects.filter((one) => one.state === state).length;
  const lines: string[] = [];
  const failed = count("failed");
  const done = `Pommel is removed from ${counted(count("removed"), "project")} and your own files.`;
  lines.push(`${tick(failed > 0 ? "warn" : "ok", output.colors)} ${done}`);
  if (failed > 0)
    lines.push(`  ${counted(failed, "project")} left: see above, then run \`pm uninstall\` again.`);
  if (keep_memory) lines.push("  The memory is kept: `pm init` in a project finds it again.");
  for (const file of completions) lines.push(`  Remove the completion of \`pm\` from ${homeRelative(file)}.`);
  lines.push("", "Finally, remove the program:", "  npm uninstall -g pommel");
  return lines.join("\n");
}
