import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import postgres from "postgres";
import type { SettingKey } from "../../base/config/settings.ts";
import { type ErrorCode, getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { passwordVariable } from "./password-variable.ts";

export type Sql = postgres.Sql<{ bigint: number }>;
/** A transaction, or single statements. */
export type Queryable = Sql | postgres.TransactionSql<{ bigint: number }>;

/** A server as the user configured it, and how to speak of it. */
export interface ServerSettings {
  url: string;
  /** The name of that setting. */
  setting: SettingKey;
  /** What it holds: "index". */
  holds: string;
  /** What to do when it is down, and when the user lacks rights. */
  hints: { down: string; rights: string };
  /** The code of all errors about it. */
  code: ErrorCode;
  /** The schema of its tables. */
  schema: string;
}

/** The server's address, without a password: for people. */
export function formatServerAddress(settings: ServerSettings): string {
  const { username, host, pathname } = parseServerUrl(settings);
  return `postgres://${username ? `${username}@` : ""}${host}${pathname}`;
}

function parseServerUrl({ url, setting, code }: ServerSettings): URL {
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return new URL(url);
  throw new PommelError(
    code,
    url === "" ? `${setting} is not set.` : `${setting} is no address of a PostgreSQL server.`,
    `Set it for all your projects: \`pm config set --global ${setting} postgres://USER@HOST/DATABASE\`.`,
  );
}

/**
 * How to connect. Beyond this machine only by TLS with the server's certificate verified, or, if the address says
 * `sslmode=require`, by TLS without that.
 * @throws PommelError with the settings' code for an address or a password file that cannot be used
 */
export function buildConnectionOptions(settings: ServerSettings, env: NodeJS.ProcessEnv = process.env) {
  const url = parseServerUrl(settings);
  const socketDir = url.searchParams.get("host");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || 5432);
  return {
    ...(socketDir === null ? { host: host || "127.0.0.1" } : { path: `${socketDir}/.s.PGSQL.${port}` }),
    port,
    database: decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username) || "postgres",
    username: decodeURIComponent(url.username) || env.PGUSER || env.USER || "postgres",
    pass: findPassword(settings, url.searchParams, env),
    max: Number(url.searchParams.get("max")) || maxConnections,
    ssl: chooseTls(settings, url.searchParams, socketDir !== null || isLoopback(host)),
  } as const;
}

const isLoopback = (host: string) =>
  host === "" || host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

function chooseTls(
  settings: ServerSettings,
  parameters: URLSearchParams,
  isLocal: boolean,
): false | { rejectUnauthorized: boolean; ca?: string } {
  const mode = parameters.get("sslmode") ?? (isLocal ? "disable" : "verify-full");
  if (mode === "verify-full") {
    const ca = parameters.get("sslrootcert");
    return {
      rejectUnauthorized: true,
      ...(ca !== null && { ca: readOwn(settings, ca, `the certificate of ${settings.setting}`) }),
    };
  }
  if (mode === "require") return { rejectUnauthorized: false };
  if (mode === "disable" && isLocal) return false;
  throw new PommelError(
    settings.code,
    `${settings.setting} says sslmode=${mode}: data would be sent to another machine without verified encryption.`,
    "Use verify-full (the default; sslrootcert=FILE names the authority), or require, which encrypts only.",
  );
}

function findPassword(
  settings: ServerSettings,
  parameters: URLSearchParams,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const file = parameters.get("password_file");
  return env[passwordVariable] || (file === null ? undefined : readSecret(settings, file));
}

function readSecret(settings: ServerSettings, file: string): string {
  const secret = readOwn(settings, file, `the password_file of ${settings.setting}`).replace(/\r?\n$/, "");
  if (process.platform !== "win32" && (statSync(expandHome(file)).mode & 0o077) !== 0) {
    throw new PommelError(settings.code, `Others can read ${file}.`, `Run \`chmod 600 ${file}\`.`);
  }
  return secret;
}

function readOwn({ code }: ServerSettings, file: string, what: string): string {
  try {
    return readFileSync(expandHome(file), "utf8");
  } catch (error) {
    throw new PommelError(
      code,
      `Cannot read ${what}: ${getErrorMessage(error)}.`,
      "Check the file's owner and permissions.",
      { cause: error },
    );
  }
}

const expandHome = (file: string) => resolve(file.replace(/^~(?=\/|$)/, homedir()));

/** Waits that a search bears. Seconds. */
const connectSeconds = 3;
/** Enough for a search beside an indexing pass; `max=` in the address says otherwise. */
const maxConnections = 4;
/** An unused connection is closed. Seconds. */
const idleSeconds = 60;

/** Connects with the first statement. @throws PommelError as `buildConnectionOptions` */
export function connectTo(settings: ServerSettings): Sql {
  const { pass, ...options } = buildConnectionOptions(settings);
  return postgres({
    ...options,
    // undefined would be replaced by the environment's.
    pass: pass ?? (() => ""),
    idle_timeout: idleSeconds,
    connect_timeout: connectSeconds,
    onnotice: () => {},
    // A statement is tried again by who asked, not by the pool.
    backoff: () => 0.1,
    connection: { application_name: "pommel" },
    types: {
      // Counts and times: below 2^53.
      bigint: { to: 20, from: [20], serialize: String, parse: Number },
    },
  }) as unknown as Sql;
}

const unreachableCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "EPIPE",
  "EACCES",
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  // It shuts down, or starts, or has too many connections.
  "57P01",
  "57P02",
  "57P03",
  "53300",
]);

/**
 * A transaction. Unlike `sql.begin` it survives a connection that is cut: postgres.js sends a rollback to a socket that is
 * gone, which ends the process. So an error of the connection never reaches it from here; it learns of the end itself.
 */
export function runInTransaction<T>(
  sql: Sql,
  mode: string,
  work: (sql: Queryable) => Promise<T>,
): Promise<T> {
  return sql.begin(mode, (within) =>
    work(within).catch((error: unknown) => {
      if (unreachableCodes.has(getErrorCode(error))) return new Promise<never>(() => {});
      throw error;
    }),
  ) as Promise<T>;
}

/** An error of the server or the connection as one for people; others as they are. */
export function toServerError(error: unknown, settings: ServerSettings): unknown {
  if (error instanceof PommelError) return error;
  const code = getErrorCode(error);
  const place = formatServerAddress(settings);
  const { setting, holds, hints, schema } = settings;
  const because = { cause: error };
  const unavailable = (what: string, hint: string) => new PommelError(settings.code, what, hint, because);
  if (
    unreachableCodes.has(code) ||
    /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code)
  ) {
    return unavailable(
      `The ${holds} at ${place} cannot be reached: ${getErrorMessage(error)}.`,
      `Start the server or check ${setting}; ${hints.down}`,
    );
  }
  if (code === "28P01" || code === "28000") {
    return unavailable(
      `${place} refused the sign-in: ${getErrorMessage(error)}.`,
      `Put the password into the variable ${passwordVariable}, or into a file and ?password_file=FILE behind ${setting}.`,
    );
  }
  if (code === "3D000") {
    return unavailable(`${place} does not exist.`, `Create the database, or correct ${setting}.`);
  }
  if (code === "42501") return unavailable(`${place}: ${getErrorMessage(error)}.`, hints.rights);
  if (code === "53100") {
    return new PommelError("disk_full", `The disk of ${place} is full.`, "Make room there.", because);
  }
  if (code === "42P01" || code === "42703") {
    return unavailable(
      `The schema ${schema} at ${place} is not Pommel's: ${getErrorMessage(error)}.`,
      `Drop that schema if nothing else is in it: the ${holds} is then made again.`,
    );
  }
  return error;
}
