import { randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/mini";
import { readTextIfAny } from "../base/files/if-any.ts";
import { replaceFile } from "../base/files/replace-file.ts";
import { locateHome, makeDirectory } from "../base/home.ts";

/** Who keeps a memory: a home, by a number that no other has, and for people whose it was when it was made. */
export const keeperShape = z.object({ home: z.string(), name: z.string() });
export type Keeper = z.infer<typeof keeperShape>;

const locateKeeperFile = (): string => join(locateHome().dataDir, "keeper.json");

/** The keeper whose home this is; null where the home cannot say it. */
export function ensureKeeper(): Keeper | null {
  return readKeeper() ?? makeKeeper();
}

function readKeeper(): Keeper | null {
  try {
    return z.parse(keeperShape, JSON.parse(readTextIfAny(locateKeeperFile())));
  } catch {
    return null;
  }
}

function makeKeeper(): Keeper | null {
  const { hostname, userInfo } = process.getBuiltinModule("node:os");
  try {
    const keeper = { home: randomBytes(16).toString("hex"), name: `${userInfo().username} on ${hostname()}` };
    makeDirectory(locateHome().dataDir);
    replaceFile(locateKeeperFile(), `${JSON.stringify(keeper)}\n`, { synced: true });
    // Another process may have made one as well: what is there counts.
    return readKeeper();
  } catch {
    return null;
  }
}
