import { createRequire } from "node:module";
import { getErrorCode, getErrorMessage, PommelError } from "../../base/errors.ts";
import type { SqlEngine } from "./engine.ts";
import { createMultipleCiphersEngine } from "./multiple-ciphers.ts";
import { createSqlcipherEngine } from "./sqlcipher.ts";

/** Which of the two packages is installed. */

const load = createRequire(import.meta.url);

let engine: SqlEngine | undefined;

/** @throws PommelError `encryption_unavailable` when neither package is installed */
export function getSealedEngine(): SqlEngine {
  engine ??= loadInstalledEngine();
  return engine;
}

/** Loaded by an older Node, the first one would crash it: its binary wants Node-API 10. */
const hasNodeApi10 = Number(process.versions.napi) >= 10;

function loadInstalledEngine(): SqlEngine {
  const problems: string[] = [];
  for (const [name, make] of engines) {
    try {
      return make(load(name) as never);
    } catch (error) {
      if (getErrorCode(error) !== "MODULE_NOT_FOUND") problems.push(` ${name}: ${getErrorMessage(error)}.`);
    }
  }
  throw new PommelError(
    "encryption_unavailable",
    `Encryption needs a package that is not installed${problems.length > 0 ? `, or cannot be loaded.${problems.join("")}` : "."}`,
    `Install it where Pommel is: \`npm install -g --ignore-scripts ${hasNodeApi10 ? multipleCiphers : sqlcipher}\`.`,
  );
}

const multipleCiphers = "better-sqlite3-multiple-ciphers";
const sqlcipher = "@signalapp/sqlcipher";

/** In the order in which they are preferred. */
const engines: [name: string, make: (module: never) => SqlEngine][] = [
  ...(hasNodeApi10
    ? [[multipleCiphers, createMultipleCiphersEngine] as [string, (module: never) => SqlEngine]]
    : []),
  [sqlcipher, createSqlcipherEngine],
];
