import { findProject } from "../../git/projects/find-project.ts";
import { recordingConfig } from "../../git/projects/recorded.ts";
import { loadConfig } from "../../project/config/config.ts";
import { homeSettings } from "../../project/config/settings.ts";
import { PommelError } from "../../project/errors.ts";
import { version } from "../../project/version.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { everywhere } from "../../queries/operations.ts";
import { scrubberOf } from "../../redact/project-scrubber.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import { LogReader } from "../lifecycle/daemon-log.ts";
import type { LiveSettings } from "../lifecycle/live-settings.ts";
import type { Projects } from "../projects/projects.ts";
import type { SpoolReader } from "../spool.ts";
import type { DaemonRoute, Handlers } from "./handlers.ts";
import { codeLifetimeMs, type PageAccess } from "./page.ts";

/** Entries of the log, where a request does not say how many. */
const shownEntries = 100;

interface DaemonHandlersOptions {
  projects: Projects;
  /** The person's, for all projects. */
  settings: LiveSettings;
  spool: SpoolReader;
  pages: PageAccess;
  record: () => DaemonRecord;
  isInForeground: boolean;
  /** Runs a command of `pm` that only reads. */
  runCommand: (request: RequestOf<"command">) => Promise<ResponseOf<"command">>;
  /** Called after the answer is on its way. */
  onShutdown: () => void;
}

export function daemonHandlers(options: DaemonHandlersOptions): Pick<Handlers, DaemonRoute> {
  const { projects, settings, spool, pages, record, isInForeground } = options;
  return {
    daemon: () => ({
      version,
      pid: process.pid,
      port: record().port,
      started_at: record().started_at,
      uptime_seconds: Math.round(process.uptime()),
      memory_bytes: process.memoryUsage.rss(),
      importing: projects.importing(),
      open: projects.inUse().map(({ project }) => ({ root: project.root, project: project.id })),
    }),
    ...everywhere,
    spool() {
      spool.notify();
      return { taken: true };
    },
    pageCode(_request, _signal, place = null) {
      // It is open by the time the browser is.
      if (place !== null) void projects.at(place).catch(() => {});
      return { code: pages.createCode(), expires_in_seconds: codeLifetimeMs / 1000 };
    },
    browsers: () => ({ browsers: pages.browsers() }),
    signOut({ browser }) {
      const signedOut = pages.signOut(browser);
      if (browser !== undefined && signedOut === 0) {
        throw new PommelError("not_found", "No such browser is signed in.", "See `pm open --browsers`.");
      }
      return { signed_out: signedOut };
    },
    command: options.runCommand,
    log({ lines = shownEntries }) {
      const reader = new LogReader();
      const entries = reader.all(lines);
      reader.close();
      // The log holds no secrets, but messages of errors may name what somebody typed.
      const scrubber = scrubberOf(null, loadConfig(null).config);
      return {
        entries: entries.map(({ time, level, text }) => ({
          at: new Date(time).toISOString(),
          level,
          text: scrubAlone(scrubber, text),
        })),
      };
    },
    async reloadSettings(_request, _signal, place = null) {
      const own = settings.reload();
      const project = place === null ? null : await findProject(place);
      const ofProjects = await projects.reload(project, {
        // A restart would give it the keys that are in the environment of who changed the settings.
        reopens: (key) => isInForeground || key === "sessions.capture",
      });
      // Whoever turned recording on is about to use it.
      if (project !== null && recordingConfig(project).config["sessions.capture"])
        await projects.at(project.root);
      const either = (one: "applied" | "need_restart") => [...new Set([...own[one], ...ofProjects[one]])];
      return {
        applied: either("applied"),
        need_restart: either("need_restart").filter(
          (key) => homeSettings.has(key) || ofProjects.need_restart.includes(key),
        ),
        in_foreground: isInForeground,
      };
    },
    shutdown() {
      setImmediate(options.onShutdown);
      return { stopping: true, pid: process.pid };
    },
  };
}
