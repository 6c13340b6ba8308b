import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation, nothing } from "../../answers/operation.ts";
import type { Config } from "../../base/config/settings.ts";
import type { Project } from "../../base/paths.ts";
import { lazy, text } from "../../protocol/shape-parts.ts";

export const doctorResponse = lazy(() =>
  z.object({
    /** Whether no check failed. */
    ok: z.boolean(),
    checks: z.array(
      z.object({
        name: text,
        status: z.enum(["ok", "warn", "fail"]),
        message: text,
        /** What to do; "" if all is well. */
        hint: text,
      }),
    ),
  }),
);

export const diagnose = defineOperation({
  name: "doctor",
  path: "GET /doctor",
  summary: "Check this machine and project, with a fix for each problem",
  of: "project",
  audited: false,
  looks: true,
  request: nothing,
  response: doctorResponse,
  answer: async () => (await import("./answer.ts")).diagnose,
});

const load = () => import("./findings.ts");

/** Which of a project's databases are damaged. */
export const findDamage = defineLocalOperation(async () => {
  const { findDamagedDatabases: damageOf } = await load();
  return (project: Project, { config }: { config: Config }) => damageOf(project, config);
});

/** Saves what can be read of damaged databases. No daemon may run. */
export const repairDamage = defineLocalOperation(async () => {
  const { repair } = await load();
  return (project: Project, { config, ...damaged }: { config: Config; index: boolean; memory: boolean }) =>
    repair(project, config, damaged);
});

/** Cuts what was saved into chunks again. */
export const recutSaved = defineLocalOperation(async () => {
  const { recut } = await load();
  return (project: Project) => recut(project);
});

/** Counts the moments at which an answer came too late for an agent. */
export const countMissed = defineLocalOperation(async () => {
  const { countMissedSince: missedSince } = await load();
  return (project: Project, { since }: { since: number }) => missedSince(project, since);
});

/** Counts sessions that the model of `scrub.llm` has not read. */
export const countUnreadByModel = defineLocalOperation(async () => {
  const { countUnreadSessions: unreadByModel } = await load();
  return (project: Project) => unreadByModel(project);
});

/** Lists what was not understood in transcripts. */
export const listLeftOut = defineLocalOperation(async () => {
  const { listLeftOutLines: leftOutOf } = await load();
  return (project: Project) => leftOutOf(project);
});

/** Lists damaged lines of transcripts. */
export const listDamagedLines = defineLocalOperation(async () => {
  const { listDamagedLines } = await load();
  return (project: Project) => listDamagedLines(project);
});

/** Lists sessions that the agents' clients will delete soon. */
export const listVanishing = defineLocalOperation(async () => {
  const { findVanishingSessions: vanishingIn } = await load();
  return (project: Project) => vanishingIn(project);
});

/** Counts sessions that are cut by other rules than those in force. */
export const countOutdatedCuts = defineLocalOperation(async () => {
  const { countOutdated: outdatedCuts } = await load();
  return (project: Project, { config }: { config: Config }) => outdatedCuts(project, config);
});

export const inspectIndex = defineLocalOperation(async () => {
  const { indexState } = await load();
  return (project: Project, { config }: { config: Config }) => indexState(project, config);
});

export const inspectMemory = defineLocalOperation(async () => {
  const { checkMemoryState: memoryState } = await load();
  return (project: Project) => memoryState(project);
});

export const inspectBackups = defineLocalOperation(async () => {
  const { checkBackupState: backupState } = await load();
  return (project: Project, { config, fix }: { config: Config; fix: boolean }) =>
    backupState(project, config, fix);
});

export const inspectRegistry = defineLocalOperation(async () => {
  const { checkRegistry: registryState } = await load();
  return () => registryState();
});

/** Who holds a lock. */
export const findLockHolder = defineLocalOperation(async () => {
  const { findHolder: holderOf } = await load();
  return (_: null, { file }: { file: string }) => holderOf(file);
});

export const readSqliteVersion = defineLocalOperation(async () => {
  const { querySqliteVersion: sqliteVersion } = await import("../../store/sqlite/sqlite.ts");
  return () => sqliteVersion();
});
