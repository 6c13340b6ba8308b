import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const prefix = "pommel-test-";

/** Runs before all tests, once for each project of vitest: what they leave behind goes with them. @returns runs after all */
export function setup(): (() => void) | undefined {
  if (basename(tmpdir()).startsWith(prefix)) return undefined;
  const dir = mkdtempSync(join(tmpdir(), prefix));
  // Where tests run as root, PostgreSQL runs as somebody else, and has to get to what is its own.
  chmodSync(dir, 0o711);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = dir;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    // A daemon may end a little later.
    rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 300 });
  };
}
