import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { indexContract } from "../../../../test/support/index-contract.ts";
import { silentLog } from "../../../project/log.ts";
import { whyUnavailable } from "./engine.ts";
import { lanceDriver, lanceFolder } from "./lance-driver.ts";

const missing = whyUnavailable();
const driver = lanceDriver({ "index.url": "" });

describe.skipIf(missing !== null)("LanceDB on this machine:", () => {
  indexContract(
    "lancedb",
    () => driver,
    (_, file) => {
      const journal = join(lanceFolder(file), "journal.lance", "data");
      for (const name of readdirSync(journal)) rmSync(join(journal, name));
    },
  );
});
