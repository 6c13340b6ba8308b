import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

const prefix = "pommel-demo-";

/** A directory of its own for a demo, without links. */
export const makeDemoDirectory = (): string => realpathSync(mkdtempSync(join(tmpdir(), prefix)));

/** Whether it is such a directory, which may be removed with all that is in it. */
export const isDemoDirectory = (path: string): boolean =>
  dirname(path) === realpathSync(tmpdir()) && basename(path).startsWith(prefix);
