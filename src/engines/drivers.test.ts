import { writeFileSync } from "node:fs";
import { indexContract } from "../../test/support/index-contract.ts";
import { MemoryEngine } from "../../test/support/memory-blobs.ts";
import { memoryDriver } from "../../test/support/memory-index.ts";
import { makeDefaultConfig } from "../base/config/settings.ts";
import { createEngineDriver } from "./blobs/engine-driver.ts";
import { indexDriver } from "./drivers.ts";

indexContract(
  "sqlite",
  () => indexDriver({ ...makeDefaultConfig(), "index.driver": "sqlite" }),
  (_, file) => writeFileSync(file, "this is no database ".repeat(500)),
);

// Not for use: it shows that nothing above the port needs SQLite.
indexContract("an index in memory", memoryDriver, (driver, file) =>
  (driver as ReturnType<typeof memoryDriver>).damage(file),
);

// What every engine shares, on one that is always there. Each test has an engine of its own.
let engine: MemoryEngine;
indexContract(
  "blobs in memory",
  () => {
    engine = new MemoryEngine();
    return createEngineDriver(engine);
  },
  (_, file) => {
    for (const blob of engine.indexes.get(file)!.values()) blob.bytes = Uint8Array.of(0);
  },
);
