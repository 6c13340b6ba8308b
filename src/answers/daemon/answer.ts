import type { Shaped } from "../../protocol/shape-parts.ts";
import { KeptOnce } from "../kept.ts";
import type { Subjects } from "../operation.ts";
import type {
  commandRequest,
  commandResponse,
  daemonResponse,
  logRequest,
  logResponse,
  reloadResponse,
} from "./operation.ts";

/** What the daemon does for programs of this person. */
interface DaemonItself {
  describe(): Shaped<typeof daemonResponse>;
  readSpool(): void;
  /** @param lines the latest entries; undefined: as many as are usual */
  readLog(lines: number | undefined): Shaped<typeof logResponse>["entries"];
  /** Runs a command of `pm` that only reads. */
  runCommand(request: Shaped<typeof commandRequest>): Promise<Shaped<typeof commandResponse>>;
  /** Stops once the answer is on its way. */
  stopSoon(): void;
}
export const daemonItself = new KeptOnce<DaemonItself>();

export const describeDaemon = () => daemonItself.get().describe();

export function readSpool() {
  daemonItself.get().readSpool();
  return { taken: true };
}

export const runCommand = (_: Subjects["daemon"], request: Shaped<typeof commandRequest>) =>
  daemonItself.get().runCommand(request);

export const readLog = (_: Subjects["daemon"], { lines }: Shaped<typeof logRequest>) => ({
  entries: daemonItself.get().readLog(lines),
});

export function shutDown() {
  daemonItself.get().stopSoon();
  return { stopping: true as const, pid: process.pid };
}

/** Makes the daemon apply changed settings to everything that it has open. */
export const reloading = new KeptOnce<(place: string | null) => Promise<Shaped<typeof reloadResponse>>>();

export const reloadSettings = ({ place }: Subjects["daemon"]) => reloading.get()(place);
