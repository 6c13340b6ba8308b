import { daemonItself, reloading } from "../answers/daemon/answer.ts";
import type { commandRequest, commandResponse } from "../answers/daemon/operation.ts";
import { loadConfig } from "../base/config/config.ts";
import { homeSettings } from "../base/config/settings.ts";
import type { Project } from "../base/paths.ts";
import { version } from "../base/version.ts";
import { LogReader } from "../client/log-reader.ts";
import { hooksAnswered } from "../features/context/answer.ts";
import { diagnosing } from "../features/doctor/answer.ts";
import type { DoctorResponse } from "../features/doctor/operation.ts";
import { pageKeys } from "../features/page/answer.ts";
import { measuring } from "../features/status/answer.ts";
import { findProject } from "../git/projects/find-project.ts";
import { loadRecordingConfig } from "../git/projects/recorded.ts";
import type { DaemonRecord } from "../protocol/daemon-record.ts";
import type { Shaped } from "../protocol/shape-parts.ts";
import { createProjectScrubber } from "../redact/project-scrubber.ts";
import { scrubAlone } from "../redact/scrubber.ts";
import { codeLifetimeMs, type PageAccess } from "./http/page.ts";
import type { UndoStep } from "./lifecycle/endings.ts";
import type { LiveSettings } from "./lifecycle/live-settings.ts";
import type { Projects } from "./projects/projects.ts";
import type { SpoolReader } from "./spool.ts";

/** How many entries of the log to return by default. */
const shownEntries = 100;

interface KeepDaemonOptions {
  projects: Projects;
  /** The person's settings for all projects. */
  settings: LiveSettings;
  spool: SpoolReader;
  pages: PageAccess;
  record: () => DaemonRecord;
  isInForeground: boolean;
  /** Runs a command of `pm` that only reads. */
  runCommand: (request: Shaped<typeof commandRequest>) => Promise<Shaped<typeof commandResponse>>;
  /** Checks what `pm doctor` checks. */
  diagnose: (project: Project) => Promise<DoctorResponse["checks"]>;
  /** Called after the answer is on its way. */
  onShutdown: () => void;
}

/** Shares this daemon with the operations on it. @returns stops that */
export function keepDaemon(options: KeepDaemonOptions): UndoStep[] {
  const { projects, spool, pages, record } = options;
  const measure = () => ({
    pid: process.pid,
    port: record().port,
    uptime_seconds: Math.round(process.uptime()),
    memory_bytes: process.memoryUsage.rss(),
  });
  return [
    hooksAnswered.share(() => spool.notify()),
    diagnosing.share(options.diagnose),
    reloading.share((place) => reloadSettings(options, place)),
    pageKeys.share({
      createCode: () => ({ code: pages.createCode(), lifetimeMs: codeLifetimeMs }),
      browsers: () => pages.listBrowsers(),
      signOut: (browser) => pages.signOut(browser),
      warmUp: (place) => void projects.openAt(place).catch(() => {}),
    }),
    measuring.share(measure),
    daemonItself.share({
      describe: () => ({
        ...measure(),
        version,
        started_at: record().started_at,
        importing: projects.countImporting(),
        open: projects.listInUse().map(({ project }) => ({ root: project.root, project: project.id })),
      }),
      readSpool: () => spool.notify(),
      runCommand: options.runCommand,
      readLog,
      stopSoon: () => void setImmediate(options.onShutdown),
    }),
  ];
}

/** The latest entries of the daemon's log. */
function readLog(lines = shownEntries) {
  const reader = new LogReader();
  const entries = reader.readAll(lines);
  reader.close();
  // The log contains no secrets, but error messages may quote what somebody typed.
  const scrubber = createProjectScrubber(null, loadConfig(null).config);
  return entries.map(({ time, level, text }) => ({
    at: new Date(time).toISOString(),
    level,
    text: scrubAlone(scrubber, text),
  }));
}

/** Applies the current settings to everything that is open. @param place a directory of the project whose settings changed */
async function reloadSettings(
  { projects, settings, isInForeground }: KeepDaemonOptions,
  place: string | null,
) {
  const own = settings.reload();
  const project = place === null ? null : await findProject(place);
  const ofProjects = await projects.reload(project, {
    // Prefer a restart: the new daemon gets the keys from the environment of the person who changed the settings.
    reopens: (key) => isInForeground || key === "sessions.capture",
  });
  // A person who turned recording on is about to use it.
  if (project !== null && loadRecordingConfig(project).config["sessions.capture"])
    await projects.openToRecord(project);
  const either = (one: "applied" | "need_restart") => [...new Set([...own[one], ...ofProjects[one]])];
  return {
    applied: either("applied"),
    need_restart: either("need_restart").filter(
      (key) => homeSettings.has(key) || ofProjects.need_restart.includes(key),
    ),
    in_foreground: isInForeground,
  };
}
