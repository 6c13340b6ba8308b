import { placeOf, type ServerSettings } from "../../postgres/server.ts";
import type { DriverSettings, IndexDriver } from "../port.ts";
import { driverOf, Place } from "../remote-engine.ts";
import { PostgresIndex } from "./postgres-index.ts";
import { ProjectRows } from "./rows.ts";
import { schemaName } from "./schema.ts";

/** The server that a configuration names for the index. */
export const indexServer = (config: Omit<DriverSettings, "index.driver">): ServerSettings => ({
  url: config["index.url"],
  setting: "index.url",
  holds: "index",
  hints: {
    down: "`pm config set index.driver sqlite` keeps the index on this machine.",
    rights: `The user needs CREATE on the database once, or a schema ${schemaName} of their own and the extension vector.`,
  },
  code: "index_unavailable",
  schema: schemaName,
});

/** The code index in a PostgreSQL with pgvector, which several projects and people can share. */
export function postgresDriver(config: DriverSettings): IndexDriver {
  const settings = indexServer(config);
  const rowsOf = (file: string, mode: "read" | "write") =>
    new ProjectRows(settings, new Place(file, "postgres"), mode);
  const place = () => {
    try {
      return placeOf(settings);
    } catch {
      return "";
    }
  };
  return driverOf({
    make: (file, mode) => new PostgresIndex(rowsOf(file, mode)),
    isThere: (file) => new Place(file, "postgres").key() !== null,
    async remove(file) {
      const rows = rowsOf(file, "write");
      try {
        await rows.remove();
      } finally {
        await rows.close();
        new Place(file, "postgres").forget();
      }
    },
    placeOf: place,
    place,
  });
}
