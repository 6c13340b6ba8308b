import * as z from "zod/mini";
import { defineLocalOperation } from "../../answers/local-operation.ts";
import { defineOperation, nothing } from "../../answers/operation.ts";
import type { Config } from "../../base/config/settings.ts";
import type { Project } from "../../base/paths.ts";
import { lazy, type Shaped, text, timeOrNull } from "../../protocol/shape-parts.ts";

export const doctorResponse = lazy(() =>
  z.object({
    /** Whether no check failed; null: nothing has been checked yet. */
    ok: z.nullable(z.boolean()),
    /** When it was checked; null: not yet. */
    as_of: timeOrNull,
    /** Whether everything is being checked anew: ask again. On a busy machine that takes longer than an answer may. */
    is_checking: z.boolean(),
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

export type DoctorResponse = Shaped<typeof doctorResponse>;

export const diagnose = defineOperation({
  name: "doctor",
  path: "GET /doctor",
  summary: "Check this machine and project, and say how to fix each problem",
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
  const { findDamagedDatabases } = await load();
  return (project: Project, { config }: { config: Config }) => findDamagedDatabases(project, config);
});

/** Saves what can be read of damaged databases. No daemon may run. */
export const repairDamage = defineLocalOperation(async () => {
  const { repair } = await load();
  return (project: Project, { config, ...damaged }: { config: Config; index: boolean; memory: boolean }) =>
    repair(project, config, damaged);
});

/** Cuts what was saved into chunks again. */
export const recutSaved = defineLocalOperation(async () => (await load()).recut);

/** Counts the moments at which an answer came too late for an agent. */
export const countMissed = defineLocalOperation(async () => {
  const { countMissedSince } = await load();
  return (project: Project, { since }: { since: number }) => countMissedSince(project, since);
});

/** Counts sessions that the model of `scrub.llm` has not read. */
export const countUnreadByModel = defineLocalOperation(async () => (await load()).countUnreadSessions);

/** Lists what was not understood in transcripts. */
export const listLeftOut = defineLocalOperation(async () => (await load()).listLeftOutLines);

/** Lists damaged lines of transcripts. */
export const listDamagedLines = defineLocalOperation(async () => (await load()).listDamagedLines);

/** Lists sessions that the agents' clients will delete soon. */
export const listVanishing = defineLocalOperation(async () => (await load()).findVanishingSessions);

/** Counts sessions that are cut by other rules than those in force. */
export const countOutdatedCuts = defineLocalOperation(async () => {
  const { countOutdated } = await load();
  return (project: Project, { config }: { config: Config }) => countOutdated(project, config);
});

export const inspectIndex = defineLocalOperation(async () => {
  const { indexState } = await load();
  return (project: Project, { config }: { config: Config }) => indexState(project, config);
});

export const inspectMemory = defineLocalOperation(async () => (await load()).checkMemoryState);

export const inspectBackups = defineLocalOperation(async () => {
  const { checkBackupState } = await load();
  return (project: Project, { config, fix }: { config: Config; fix: boolean }) =>
    checkBackupState(project, config, fix);
});

export const inspectRegistry = defineLocalOperation(async () => {
  const { checkRegistry } = await load();
  return () => checkRegistry();
});

/** Who holds a lock. */
export const findLockHolder = defineLocalOperation(async () => {
  const { findHolder } = await load();
  return (_: null, { file }: { file: string }) => findHolder(file);
});

export const readSqliteVersion = defineLocalOperation(async () => {
  const { querySqliteVersion } = await import("../../store/sqlite/sqlite.ts");
  return () => querySqliteVersion();
});
