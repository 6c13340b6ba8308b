import { createRequire } from "node:module";
import type * as driver from "@photostructure/sqlite";

/**
 * Node's own SQLite where it has what the store needs and prints no warning, which is from Node 24.12 on: it is up to twice
 * as fast as @photostructure/sqlite. That has the same interface on every Node, and is loaded only where it is needed.
 */
export const { DatabaseSync } = ownDriver() ?? packagedDriver();

function ownDriver(): typeof driver | null {
  // Older ones warn that it is experimental as soon as it is loaded.
  if (Number.parseInt(process.versions.node, 10) < 24) return null;
  // Absent where Node was built without it.
  const own = process.getBuiltinModule("node:sqlite") as unknown as typeof driver | undefined;
  return own && "enableDefensive" in own.DatabaseSync.prototype ? own : null;
}

function packagedDriver(): typeof driver {
  // The bundler includes the package that this `require` names; the sources themselves are modules, without `require`.
  if (typeof require === "function") return require("@photostructure/sqlite") as typeof driver;
  return createRequire(import.meta.url)("@photostructure/sqlite") as typeof driver;
}
