import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import type { SettingKey } from "../../base/config/settings.ts";
import type { ErrorCode } from "../../base/errors.ts";
import { getErrorMessage, PommelError } from "../../base/errors.ts";
import { passwordVariable } from "./password-variable.ts";

export function parseServerUrl({ url, setting, code }: ServerSettings): URL {
  if (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url)) return new URL(url);
  throw new PommelError(
    code,
    url === "" ? `${setting} is not set.` : `${setting} is not the address of a PostgreSQL server.`,
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

/** Enough for a search beside an indexing pass; `max=` in the address says otherwise. */
const maxConnections = 4;
