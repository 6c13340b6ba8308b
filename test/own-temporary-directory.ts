import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { removeDirectory } from "./support/remove-directory.ts";

const prefix = "pommel-test-";

/** Runs before all tests, once for each project of vitest: what they leave behind goes with them. @returns runs after all */
export function setup(): (() => void) | undefined {
  if (basename(tmpdir()).startsWith(prefix)) return undefined;
  const before = process.env.TMPDIR;
  const dir = (before === undefined && directoryInMemory()) || mkdtempSync(join(tmpdir(), prefix));
  // Where tests run as root, PostgreSQL runs as somebody else, and has to get to what is its own.
  chmodSync(dir, 0o711);
  process.env.TMPDIR = dir;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    removeDirectory(dir);
  };
}

/** Databases and git wait for the disk otherwise. Null: there is too little memory, or no program may be run from it. */
function directoryInMemory(): string | null {
  const memory = "/dev/shm";
  const enough = 6 * 2 ** 30;
  if (!existsSync(memory) || freemem() < enough) return null;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < enough) return null;
  const dir = mkdtempSync(join(memory, prefix));
  const program = join(dir, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
  try {
    execFileSync(program);
    return dir;
  } catch {
    removeDirectory(dir);
    return null;
  }
}
