import { existsSync, readFileSync, statSync } from "node:fs";
import { agents } from "../../agents/registry.ts";
import { deletesTranscripts } from "../../agents/retentions.ts";
import { changeMemory } from "../../answers/changing.ts";
import { withMemoryIfAny } from "../../answers/open.ts";
import type { Config } from "../../base/config/settings.ts";
import { getErrorCode } from "../../base/errors.ts";
import { locateRegistry } from "../../base/home.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { indexDriver } from "../../engines/drivers.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import { buildCurrentCut, buildCutSettings } from "../../sessions/chunks/cut-rules.ts";
import {
  findExpiringSessions,
  listRemainingTranscripts,
  listSkippedLines,
  readOwner,
} from "../../sessions/ingest/known-transcripts.ts";
import { recutSessions } from "../../sessions/recut.ts";
import { findLostMemoryError, readBackupContent } from "../../store/memory/backups/backup-content.ts";
import {
  type BackupFile,
  listBackups,
  locateBackupFolder,
  readCare,
} from "../../store/memory/backups/copies.ts";
import { listLeftovers, removeLeftovers } from "../../store/memory/backups/put-in-place.ts";
import { checkBackup } from "../../store/memory/backups/restore.ts";
import { listMissedInjections } from "../../store/memory/injections.ts";
import { checkMemory } from "../../store/memory/memory.ts";
import { listUnreadSessions } from "../../store/memory/privacy/secrets.ts";
import { repairMemory } from "../../store/memory/repair/repair.ts";
import { cutCounts } from "../../store/memory/sessions/session-index.ts";
import { listDamagedTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { Registry } from "../../store/registry.ts";
import { lockHolder } from "../../store/sqlite/lock.ts";

/** What `pm doctor` looks at in what is stored, which may be broken: nothing is changed unless it says so. */

export type { Repaired } from "../../store/memory/repair/repair.ts";
export type { StoreCheck } from "../../store/sqlite/database.ts";

/** How many projects are known, and whether a damaged registry was made again; null: there is none yet. */
export function checkRegistry(): { projects: number; isMadeAgain: boolean } | null {
  if (!existsSync(locateRegistry())) return null;
  const registry = Registry.open();
  const isMadeAgain = registry.check();
  return { projects: registry.listRegisteredProjects().length, isMadeAgain };
}

/** Who writes the index, and who holds the daemon's lock. */
export const findHolder = (lockFile: string) => lockHolder(lockFile);

export const countMissedSince = (project: Project, since: number): Promise<number> =>
  withMemoryIfAny(project, (memory) => (memory === null ? 0 : listMissedInjections(memory, since).length));

/** Sessions that the language model of `scrub.llm` has not read. */
export const countUnreadSessions = (project: Project): Promise<number> =>
  withMemoryIfAny(project, (memory) => (memory === null ? 0 : listUnreadSessions(memory).length));

/** What was not understood in transcripts. */
export const listLeftOutLines = (project: Project) =>
  withMemoryIfAny(project, (memory) => (memory === null ? [] : listSkippedLines(memory)));

/** A damaged line of a transcript, and what was saved of it. */
export interface DamageFinding {
  /** The session's uid; null: the file is of none (yet). */
  session: string | null;
  path: string;
  /** From 1; null where the file is gone, or compressed. */
  line: number | null;
  saved: number;
  isLost: boolean;
}

export function listDamagedLines(project: Project): Promise<DamageFinding[]> {
  return withMemoryIfAny(project, (memory) =>
    (memory === null ? [] : listDamagedTranscripts(memory)).flatMap(({ session, path, damaged }) => {
      const numbers = findLineNumbers(path, damaged);
      return damaged.map(({ saved, isLost }, i) => ({
        session,
        path,
        line: numbers?.[i] ?? null,
        saved,
        isLost,
      }));
    }),
  );
}

/** The numbers of lines that begin at these places of a file, in their order. */
function findLineNumbers(path: string, places: readonly { at: number }[]): number[] | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return null;
  }
  if (path.endsWith(".zst")) return null;
  let line = 1;
  let from = 0;
  return places.map(({ at }) => {
    for (let end = bytes.indexOf(10, from); end !== -1 && end < at; end = bytes.indexOf(10, from)) {
      line++;
      from = end + 1;
    }
    return line;
  });
}

/** Sessions that the agents' clients will delete soon. */
export async function findVanishingSessions(project: Project) {
  const roots = await listProjectRoots(project.root);
  const deleting = agents.filter(
    (agent) => deletesTranscripts(agent.name) && agent.listRoots().some((root) => existsSync(root)),
  );
  const found = await withMemoryIfAny(project, (memory) =>
    Promise.all(
      deleting.map(async (agent) => {
        const findOwner = (path: string) => readOwner(agent, path, roots).catch(() => null);
        const transcripts = await listRemainingTranscripts(agent, findOwner, memory);
        return findExpiringSessions(agent, project.root, () => transcripts);
      }),
    ),
  );
  return found.filter((one) => one !== null);
}

/** Sessions that are cut by other rules or settings than those in force; null: there is no memory. */
export const countOutdated = (project: Project, config: Config) =>
  withMemoryIfAny(project, (memory) =>
    memory === null ? null : cutCounts(memory, buildCurrentCut(buildCutSettings(config))),
  );

export async function indexState({ indexDb }: Project, config: Config) {
  const driver = await indexDriver(config);
  return { place: driver.place, check: await driver.check(indexDb) };
}

/** @returns also why it is missing although there was one */
export function checkMemoryState({ memoryDb }: Project) {
  const isEmpty = !statSync(memoryDb, { throwIfNoEntry: false })?.size;
  const lost = isEmpty ? findLostMemoryError(memoryDb) : null;
  return { lost, check: checkMemory(memoryDb) };
}

/** @param fix removes what killed processes left */
export function checkBackupState({ memoryDb }: Project, config: Config, fix: boolean) {
  const leftovers = fix ? [] : listLeftovers(memoryDb);
  if (fix) removeLeftovers(memoryDb);
  const folder = locateBackupFolder(memoryDb, config["backup.folder"]);
  const all = existsSync(memoryDb) ? listBackups(memoryDb, folder) : null;
  return { leftovers, ...readCare(memoryDb), all, damaged: all === null ? [] : listDamagedBackups(all) };
}

/** Of the newest all is read, as a restore does; of the others what `pm memory backup list` reads. */
const listDamagedBackups = (backups: readonly BackupFile[]): string[] =>
  backups.flatMap(({ file }, i) => {
    try {
      if (i === 0) checkBackup(file);
      return readBackupContent(file) === null ? [file] : [];
    } catch (error) {
      return getErrorCode(error) === "unreadable" ? [file] : [];
    }
  });

/** Which of the databases are damaged. */
export async function findDamagedDatabases({ indexDb, memoryDb }: Project, config: Config) {
  const driver = await indexDriver(config);
  return {
    index: (await driver.check(indexDb)).state === "damaged",
    memory: checkMemory(memoryDb).state === "damaged",
  };
}

/** The index is moved aside, of the memory is saved what can be read. No daemon may run. @throws PommelError as `repairMemory` */
export async function repair(
  { indexDb, memoryDb }: Project,
  config: Config,
  damaged: { index: boolean; memory: boolean },
) {
  const driver = await indexDriver(config);
  return {
    index: damaged.index ? { aside: await driver.moveAside(indexDb, "Repaired.", silentLog) } : null,
    memory: damaged.memory ? repairMemory(memoryDb) : null,
  };
}

/** Cuts what was saved into chunks again. */
export const recut = (project: Project) => changeMemory(project, (work) => recutSessions(work));
