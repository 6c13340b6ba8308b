import { loadConfig } from "../../project/config/config.ts";
import { version } from "../../project/version.ts";
import type { DaemonRecord } from "../../protocol/daemon-record.ts";
import type { RouteName } from "../../protocol/endpoints.ts";
import type { RequestOf, ResponseOf } from "../../protocol/routes.ts";
import { everywhere } from "../../queries/operations.ts";
import { describeProjects } from "../../queries/projects/describe-projects.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import { scrubberOf } from "../../sessions/from-config.ts";
import { LogReader } from "../lifecycle/log-reader.ts";
import type { Projects } from "../projects/projects.ts";
import type { SpoolReader } from "../spool/spool-reader.ts";
import { codeLifetimeMs, type PageAccess } from "./page-access.ts";
import type { Handlers } from "./server.ts";

/** Asked of the daemon itself: about no project, or about all of them. */
const daemonRoutes = [
  ...(["daemon", "projects", "spool", "pageCode", "command", "log", "shutdown"] as const),
  ...(["searchEverywhere", "sessionsEverywhere", "locateSession"] as const),
] as const;
export type DaemonRoute = (typeof daemonRoutes)[number] & RouteName;

export const isDaemonRoute = (route: RouteName): route is DaemonRoute =>
  (daemonRoutes as readonly RouteName[]).includes(route);

/** Entries of the log, where a request does not say how many. */
const shownEntries = 100;

interface DaemonHandlersOptions {
  projects: Projects;
  spool: SpoolReader;
  pages: PageAccess;
  record: () => DaemonRecord;
  /** Runs a command of `pm` that only reads. */
  runCommand: (request: RequestOf<"command">) => Promise<ResponseOf<"command">>;
  /** Called after the answer is on its way. */
  onShutdown: () => void;
}

export function daemonHandlers(options: DaemonHandlersOptions): Pick<Handlers, DaemonRoute> {
  const { projects, spool, pages, record } = options;
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
    projects: () => describeProjects(),
    ...everywhere,
    spool() {
      spool.notify();
      return { taken: true };
    },
    pageCode: () => ({ code: pages.createCode(), expires_in_seconds: codeLifetimeMs / 1000 }),
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
    shutdown() {
      setImmediate(options.onShutdown);
      return { stopping: true, pid: process.pid };
    },
  };
}
