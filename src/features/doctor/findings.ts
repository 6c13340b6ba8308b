import { existsSync, readFileSync, statSync } from "node:fs";
import { agents } from "../../agents/registry.ts";
import { changing } from "../../answers/changing.ts";
import { withMemoryIfAny } from "../../answers/open.ts";
import type { Config } from "../../base/config/settings.ts";
import { codeOf } from "../../base/errors.ts";
import { registryFile } from "../../base/home.ts";
import { silentLog } from "../../base/log.ts";
import type { Project } from "../../base/paths.ts";
import { indexDriver } from "../../engines/drivers.ts";
import { projectRoots } from "../../git/projects/roots.ts";
import { currentCut, cutSettingsOf } from "../../sessions/chunks/cut-rules.ts";
import {
  leftOut,
  readOwner,
  transcriptsThere,
  vanishingOf,
} from "../../sessions/ingest/known-transcripts.ts";
import { recutSessions } from "../../sessions/recut.ts";
import { contentOf, lostMemory } from "../../store/memory/backups/backup-content.ts";
import { type BackupFile, backupFolder, careOf, listBackups } from "../../store/memory/backups/copies.ts";
import { leftoversOf, removeLeftovers } from "../../store/memory/backups/put-in-place.ts";
import { checkBackup } from "../../store/memory/backups/restore.ts";
import { missedInjections } from "../../store/memory/injections.ts";
import { checkMemory } from "../../store/memory/memory.ts";
import { unreadSessions } from "../../store/memory/privacy/secrets.ts";
import { repairMemory } from "../../store/memory/repair/repair.ts";
import { cutCounts } from "../../store/memory/sessions/session-index.ts";
import { damagedTranscripts } from "../../store/memory/sessions/transcripts.ts";
import { Registry } from "../../store/registry.ts";
import { lockHolder } from "../../store/sqlite/lock.ts";

/** What `pm doctor` looks at in what is stored, which may be broken: nothing is changed unless it says so. */

export type { Repaired } from "../../store/memory/repair/repair.ts";
export type { StoreCheck } from "../../store/sqlite/database.ts";

/** How many projects are known, and whether a damaged registry was made again; null: there is none yet. */
export function registryState(): { projects: number; isMadeAgain: boolean } | null {
  if (!existsSync(registryFile())) return null;
  const registry = Registry.open();
  const isMadeAgain = registry.check();
  return { projects: registry.projects().length, isMadeAgain };
}

/** Who writes the index, and who holds the daemon's lock. */
export const holderOf = (lockFile: string) => lockHolder(lockFile);

export const missedSince = (project: Project, since: number): Promise<number> =>
  withMemoryIfAny(project, (memory) => (memory === null ? 0 : missedInjections(memory, since).length));

/** Sessions that the language model of `scrub.llm` has not read. */
export const unreadByModel = (project: Project): Promise<number> =>
  withMemoryIfAny(project, (memory) => (memory === null ? 0 : unreadSessions(memory).length));

/** What was not understood in transcripts. */
export const leftOutOf = (project: Project) =>
  withMemoryIfAny(project, (memory) => (memory === null ? [] : leftOut(memory)));

/** A damaged line of a transcript, and what was saved of it. */
export interface DamagedPlace {
  /** The session's uid; null: the file is of none (yet). */
  session: string | null;
  path: string;
  /** From 1; null where the file is gone, or compressed. */
  line: number | null;
  saved: number;
  isLost: boolean;
}

export function listDamagedLines(project: Project): Promise<DamagedPlace[]> {
  return withMemoryIfAny(project, (memory) =>
    (memory === null ? [] : damagedTranscripts(memory)).flatMap(({ session, path, damaged }) => {
      const numbers = lineNumbers(path, damaged);
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
function lineNumbers(path: string, places: readonly { at: number }[]): number[] | null {
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
export async function vanishingIn(project: Project) {
  const roots = await projectRoots(project.root);
  const deleting = agents.filter(
    (agent) => agent.retention !== undefined && agent.roots().some((root) => existsSync(root)),
  );
  const found = await withMemoryIfAny(project, (memory) =>
    Promise.all(
      deleting.map(async (agent) => {
        const findOwner = (path: string) => readOwner(agent, path, roots).catch(() => null);
        const transcripts = await transcriptsThere(agent, findOwner, memory);
        return vanishingOf(agent, project.root, () => transcripts);
      }),
    ),
  );
  return found.filter((one) => one !== null);
}

/** Sessions that are cut by other rules or settings than those in force; null: there is no memory. */
export const outdatedCuts = (project: Project, config: Config) =>
  withMemoryIfAny(project, (memory) =>
    memory === null ? null : cutCounts(memory, currentCut(cutSettingsOf(config))),
  );

export async function indexState({ indexDb }: Project, config: Config) {
  const driver = await indexDriver(config);
  return { place: driver.place, check: await driver.check(indexDb) };
}

/** @returns also why it is missing although there was one */
export function memoryState({ memoryDb }: Project) {
  const isEmpty = !statSync(memoryDb, { throwIfNoEntry: false })?.size;
  const lost = isEmpty ? lostMemory(memoryDb) : null;
  return { lost, check: checkMemory(memoryDb) };
}

/** @param fix removes what killed processes left */
export function backupState({ memoryDb }: Project, config: Config, fix: boolean) {
  const leftovers = fix ? [] : leftoversOf(memoryDb);
  if (fix) removeLeftovers(memoryDb);
  const folder = backupFolder(memoryDb, config["backup.folder"]);
  const all = existsSync(memoryDb) ? listBackups(memoryDb, folder) : null;
  return { leftovers, ...careOf(memoryDb), all, damaged: all === null ? [] : damagedAmong(all) };
}

/** Of the newest all is read, as a restore does; of the others what `pm memory backup list` reads. */
const damagedAmong = (backups: readonly BackupFile[]): string[] =>
  backups.flatMap(({ file }, i) => {
    try {
      if (i === 0) checkBackup(file);
      return contentOf(file) === null ? [file] : [];
    } catch (error) {
      return codeOf(error) === "unreadable" ? [file] : [];
    }
  });

/** Which of the databases are damaged. */
export async function damageOf({ indexDb, memoryDb }: Project, config: Config) {
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
export const recut = (project: Project) => changing(project, (work) => recutSessions(work));
