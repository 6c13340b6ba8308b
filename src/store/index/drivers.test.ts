import { writeFileSync } from "node:fs";
import { indexContract } from "../../../test/support/index-contract.ts";
import { memoryDriver } from "../../../test/support/memory-index.ts";
import { defaultConfig } from "../../project/config/settings.ts";
import { indexDriver } from "./drivers.ts";

indexContract(
  "sqlite",
  () => indexDriver({ ...defaultConfig(), "index.driver": "sqlite" }),
  (_, file) => writeFileSync(file, "this is no database ".repeat(500)),
);

// Not for use: it shows that nothing above the port needs SQLite.
indexContract("an index in memory", memoryDriver, (driver, file) =>
  (driver as ReturnType<typeof memoryDriver>).damage(file),
);
