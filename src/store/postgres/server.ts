import postgres from "postgres";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import { buildConnectionOptions, parseServerUrl, type ServerSettings } from "./connection-options.ts";
import { passwordVariable } from "./password-variable.ts";

export type Sql = postgres.Sql<{ bigint: number }>;
/** A transaction, or single statements. */
export type Queryable = Sql | postgres.TransactionSql<{ bigint: number }>;

/** The server's address, without a password: for people. */
export function formatServerAddress(settings: ServerSettings): string {
  const { username, host, pathname } = parseServerUrl(settings);
  return `postgres://${username ? `${username}@` : ""}${host}${pathname}`;
}

/** Waits that a search bears. Seconds. */
const connectSeconds = 3;
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
    return new PommelError("disk_full", `The disk of ${place} is full.`, "Free some space there.", because);
  }
  if (code === "42P01" || code === "42703") {
    return unavailable(
      `The schema ${schema} at ${place} is not Pommel's: ${getErrorMessage(error)}.`,
      `Drop that schema if nothing else is in it: the ${holds} is then made again.`,
    );
  }
  return error;
}
