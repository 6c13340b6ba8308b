import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, linkSync, lstatSync, renameSync, rmSync, statSync } from "node:fs";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { getErrorCode, PommelError } from "../../base/errors.ts";
import { writeJson } from "../../base/files/replace-file.ts";
import { findSocketDirectory, locateDaemonFiles, makeDirectory } from "../../base/home.ts";
import { version } from "../../base/version.ts";
import { type DaemonRecord, readDaemonRecord } from "../../protocol/daemon-record.ts";

const firstPort = 17_000;
const portCount = 7000;
const maxTries = 50;
/** How long open requests may take when the daemon stops. Milliseconds. */
const lastRequestsMs = 2000;

/** The port that a home asks for: the same after every restart, so that bookmarks keep working. */
export function computePreferredPort(stateDir: string): number {
  return firstPort + (createHash("sha256").update(stateDir).digest().readUInt32BE() % portCount);
}

/**
 * Listens on 127.0.0.1: on `configured` if it is not 0, else on the home's own port or the next free one.
 * @returns the port
 * @throws PommelError `daemon_start_failed` if no port is available
 */
export async function listen(server: Server, stateDir: string, configured: number): Promise<number> {
  const preferred = computePreferredPort(stateDir);
  const candidates =
    configured > 0
      ? [configured]
      : Array.from({ length: maxTries }, (_, i) => firstPort + ((preferred - firstPort + i) % portCount));
  for (const port of candidates) {
    try {
      server.listen({ port, host: "127.0.0.1", exclusive: true });
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if (!["EADDRINUSE", "EACCES"].includes(getErrorCode(error))) throw error;
    }
  }
  throw configured > 0
    ? new PommelError(
        "daemon_start_failed",
        `Port ${configured}, which daemon.port names, is in use.`,
        "Choose another with `pm config set --global daemon.port`, or 0 for any free one.",
      )
    : new PommelError(
        "daemon_start_failed",
        `No free port among ${maxTries} from ${preferred} on.`,
        "Name one with `pm config set --global daemon.port <port>`.",
      );
}

/** Stops accepting, lets open requests finish, and cuts those that do not. */
export async function closeServer(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), lastRequestsMs);
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}

/**
 * Listens on a Unix socket that only this user can reach, or on a named pipe. Only the holder of the daemon's lock listens there, so
 * a socket that exists is left from a killed daemon. If it answers, the file system keeps no locks.
 * @returns tells whether the socket is still this daemon's: without locks, another daemon may replace it
 * @throws PommelError `daemon_start_failed` when its directory is not this user's own, `locked` when another daemon listens
 */
export async function listenOnSocket(server: Server, path: string): Promise<() => boolean> {
  const dir = findSocketDirectory(path);
  if (dir !== null) {
    makeDirectory(dir);
    const stat = lstatSync(dir);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) {
      throw new PommelError(
        "daemon_start_failed",
        `${dir} belongs to somebody else, and the daemon's socket would lie there.`,
        "Remove it, or set POMMEL_HOME to a directory of your own.",
      );
    }
    chmodSync(dir, 0o700);
    if (await isListenedOn(path)) {
      throw new PommelError(
        "locked",
        `Another daemon listens on ${path}, although this one got the lock beside it.`,
        "See `pm doctor`.",
      );
    }
    rmSync(path, { force: true });
  }
  server.listen({ path });
  await once(server, "listening");
  if (dir === null) return () => true;
  chmodSync(path, 0o600);
  const { ino } = statSync(path);
  return () => statSync(path, { throwIfNoEntry: false })?.ino === ino;
}

/**
 * Closes the server of a socket. That removes whatever is at its path. If locks are not kept, that may by now be another daemon's
 * socket, which must stay.
 */
export async function closeSocket(server: Server, path: string, isOurs: () => boolean): Promise<void> {
  const isAnothers = findSocketDirectory(path) !== null && !isOurs() && existsSync(path);
  const aside = `${path}.${process.pid}`;
  if (isAnothers) linkSync(path, aside);
  await closeServer(server);
  if (isAnothers) renameSync(aside, path);
}

function isListenedOn(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on("connect", () => end(true));
    socket.on("error", () => end(false));
  });
}

/** The record of a daemon that now starts on `port`. */
export function makeDaemonRecord(port: number, context: DaemonRecord["context"]): DaemonRecord {
  return {
    pid: process.pid,
    port,
    token: randomBytes(32).toString("hex"),
    started_at: new Date().toISOString(),
    version,
    context,
  };
}

/** Writes daemon.json atomically, for its owner only. */
export function writeRecord(record: DaemonRecord): void {
  writeJson(locateDaemonFiles().record, record);
}

/** Removes daemon.json if it is still the one of `record`. */
export function removeRecord(record: DaemonRecord): void {
  if (readDaemonRecord()?.token === record.token) rmSync(locateDaemonFiles().record, { force: true });
}
