import { auditRecords, verifyAudit } from "../answers/audit.ts";
import type { Running } from "../answers/operation.ts";
import type { Config } from "../base/config/settings.ts";
import type { Project } from "../base/paths.ts";
import { sqliteVersion } from "../store/sqlite/sqlite.ts";
import {
  backUpMemory,
  decrypt,
  encrypt,
  keyOf,
  listedBackups,
  previewRestore,
  type Restore,
  restoreBackup,
  rotate,
  stillPlain,
  unlockWith,
} from "./backup/backups.ts";
import * as findings from "./doctor/findings.ts";
import { keepUnread } from "./import/keep-unread.ts";
import { type TrashAsked, trashFor, undo } from "./trash/undo.ts";

/**
 * Operations on the files of what is stored: they run in the process that asks, as no daemon may have those files open, or as
 * they may be broken. An old memory stays where it is.
 */
export const upkeep = {
  // Of a project.
  backUp: (project: Project, request: Parameters<typeof backUpMemory>[1]) => backUpMemory(project, request),
  backups: (project: Project) => listedBackups(project),
  previewRestore: (project: Project, request: Restore) => previewRestore(project, request),
  restore: (project: Project, request: Restore) => restoreBackup(project, request),
  auditRecords: (project: Project) => auditRecords(project),
  verifyAudit: (project: Project) => verifyAudit(project),
  damage: (project: Project, { config }: { config: Config }) => findings.damageOf(project, config),
  repair: (project: Project, { config, ...damaged }: { config: Config; index: boolean; memory: boolean }) =>
    findings.repair(project, config, damaged),
  recut: (project: Project) => findings.recut(project),
  missedSince: (project: Project, { since }: { since: number }) => findings.missedSince(project, since),
  unreadByModel: (project: Project) => findings.unreadByModel(project),
  leftOut: (project: Project) => findings.leftOutOf(project),
  damagedLines: (project: Project) => findings.listDamagedLines(project),
  vanishing: (project: Project) => findings.vanishingIn(project),
  outdatedCuts: (project: Project, { config }: { config: Config }) => findings.outdatedCuts(project, config),
  indexState: (project: Project, { config }: { config: Config }) => findings.indexState(project, config),
  memoryState: (project: Project) => findings.memoryState(project),
  backupState: (project: Project, { config, fix }: { config: Config; fix: boolean }) =>
    findings.backupState(project, config, fix),
  // Of the home.
  keepUnread: (_: null) => keepUnread(),
  trash: (_: null, asked: TrashAsked) => trashFor(asked),
  undo: (_: null, request: { number: number }) => undo(request.number),
  keyOf: (_: null, what: Parameters<typeof keyOf>[0]) => keyOf(what),
  unlock: (_: null, request: Parameters<typeof unlockWith>[0]) => unlockWith(request),
  encrypt: (_: null, request: Parameters<typeof encrypt>[0], how: Running) => encrypt(request, how),
  rotateKey: (_: null, request: Parameters<typeof rotate>[0], how: Running) => rotate(request, how),
  decrypt: (_: null, _request: object, how: Running) => decrypt(how),
  stillPlain: (_: null) => stillPlain(),
  registryState: (_: null) => findings.registryState(),
  sqliteVersion: (_: null) => sqliteVersion(),
  lockHolder: (_: null, { file }: { file: string }) => findings.holderOf(file),
} satisfies Record<string, (place: never, request: never, how: Running) => unknown>;
