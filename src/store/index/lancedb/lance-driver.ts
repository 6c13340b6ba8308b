import { existsSync } from "node:fs";
import type { DriverSettings, IndexDriver } from "../port.ts";
import { driverOf, lanceFolder, Place } from "../remote-engine.ts";
import { whyUnavailable } from "./engine.ts";
import { LanceIndex } from "./lance-index.ts";
import { LanceStore, type Location } from "./store.ts";

/** The code index in LanceDB: tables in a folder of the project, or in object storage. */
export function lanceDriver({ "index.url": url }: Pick<DriverSettings, "index.url">): IndexDriver {
  // An address of PostgreSQL is that of the other engine.
  const isLocal = !/^(?:s3|gs|az):/.test(url);
  const locationOf = (file: string): Location => ({
    dir: isLocal ? lanceFolder(file) : null,
    address: isLocal ? lanceFolder(file) : url,
    place: new Place(file, "lancedb"),
  });
  return driverOf({
    make: (file, mode) => new LanceIndex(new LanceStore(locationOf(file), mode)),
    // Without the package its error says more.
    isThere: (file) =>
      whyUnavailable() !== null ||
      (isLocal ? existsSync(lanceFolder(file)) : new Place(file, "lancedb").key() !== null),
    async remove(file) {
      try {
        await new LanceStore(locationOf(file), "write").remove();
      } finally {
        new Place(file, "lancedb").forget();
      }
    },
    placeOf: (file) => locationOf(file).address,
    place: () => (isLocal ? "" : url),
  });
}
