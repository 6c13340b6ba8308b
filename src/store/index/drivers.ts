import type { Config } from "../../project/config/settings.ts";
import type { DriverSettings, IndexDriver } from "./port.ts";
import { sqliteDriver } from "./sqlite/sqlite-driver.ts";

type DriverName = Config["index.driver"];

/** Every driver, loaded when it is chosen. */
const drivers = {
  sqlite: async () => sqliteDriver,
  postgres: async (config) => (await import("./postgres/postgres-driver.ts")).postgresDriver(config),
  lancedb: async (config) => (await import("./lancedb/lance-driver.ts")).lanceDriver(config),
} satisfies Record<DriverName, (config: DriverSettings) => Promise<IndexDriver>>;

/** The driver that a configuration names. */
export function indexDriver(config: DriverSettings): Promise<IndexDriver> {
  return drivers[config["index.driver"]](config);
}
