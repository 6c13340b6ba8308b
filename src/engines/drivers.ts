import type { Config } from "../base/config/settings.ts";
import type { IndexDriver } from "../store/index/port.ts";
import { passwordVariable } from "../store/postgres/password-variable.ts";

type DriverName = Config["index.driver"];

/** What an engine reads of the configuration. */
export type EngineSettings = Pick<Config, "index.url">;

/** Variables of the shell with what an engine needs to know: keys, passwords, addresses. */
interface Environment {
  names: readonly string[];
  /** Of names. */
  prefixes: readonly string[];
}

interface EngineDriver {
  environment(config: EngineSettings): Environment;
  load(config: EngineSettings): Promise<IndexDriver>;
}

/** Variables that LanceDB reads for the kinds of object storage. */
const storagePrefixes: Readonly<Record<string, readonly string[]>> = {
  s3: ["AWS_"],
  gs: ["GOOGLE_"],
  az: ["AZURE_"],
};

/** Every way to keep a code index, loaded when it is chosen. How to add one: CONTRIBUTING.md. */
const drivers = {
  sqlite: {
    environment: () => ({ names: [], prefixes: [] }),
    load: async () => (await import("../store/index/sqlite/sqlite-driver.ts")).sqliteDriver,
  },
  postgres: {
    environment: () => ({ names: [passwordVariable], prefixes: [] }),
    load: async (config) => (await import("./postgres/postgres.ts")).createPostgresDriver(config),
  },
  lancedb: {
    environment: ({ "index.url": url }) => ({
      names: [],
      prefixes: storagePrefixes[url.split(":")[0]!] ?? [],
    }),
    load: async (config) => (await import("./lancedb/lancedb.ts")).createLanceDriver(config),
  },
} satisfies Record<DriverName, EngineDriver>;

type DriverSettings = Pick<Config, "index.driver"> & EngineSettings;

/** The driver that a configuration names. */
export function indexDriver(config: DriverSettings): Promise<IndexDriver> {
  const driver: EngineDriver = drivers[config["index.driver"]];
  return driver.load(config);
}

/** The variables that it needs. */
export function listEngineVariables(config: DriverSettings): Environment {
  const driver: EngineDriver = drivers[config["index.driver"]];
  return driver.environment(config);
}
