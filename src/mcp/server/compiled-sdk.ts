import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import Module, { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import { replaceFile } from "../../project/files/replace-file.ts";
import { homeOf } from "../../project/home.ts";
import { version } from "../../project/version.ts";

/**
 * Half of what the MCP SDK costs a start is compiling it. V8 can keep what it compiled (https://v8.dev/blog/code-caching);
 * Node does so by itself from 22.1 on only (module.enableCompileCache), so it is done here.
 */

/** When everything that a start runs has been compiled. Milliseconds. */
const settledMs = 3000;
const prefix = "mcp-sdk-";
const sumBytes = 4;

/**
 * Loads a CommonJS module as `require` would, from V8's cached code of an earlier start if there is any, so that a
 * later `require` finds it loaded. Loads the module whatever is wrong with the cache.
 * @param file absolute
 */
export function requireCompiled(file: string): void {
  const source = readFileSync(file, "utf8");
  const kept = keptFor(file);
  const compiled = kept === null ? undefined : readKept(kept);
  const script = new Script(Module.wrap(source), {
    filename: file,
    ...(compiled && { cachedData: compiled }),
  });
  const require = createRequire(file);
  const module = new Module(file);
  module.filename = file;
  require.cache[file] = module;
  try {
    script.runInThisContext()(module.exports, require, module, file, dirname(file));
    module.loaded = true;
  } catch (error) {
    delete require.cache[file];
    throw error;
  }
  if (kept !== null && (!compiled || script.cachedDataRejected)) {
    setTimeout(() => keep(kept, script), settledMs).unref();
  }
}

/** Where it is kept: by everything that it depends on. Null where that is unknown. */
function keptFor(file: string): string | null {
  try {
    const { size, mtimeMs } = statSync(file);
    const name = [version, process.version, process.arch, size, Math.round(mtimeMs)].join("-");
    return join(homeOf().cacheDir, "compiled", `${prefix}${name}.bin`);
  } catch {
    return null;
  }
}

/** Undefined if it is missing, incomplete, or could have been written by another user. */
function readKept(file: string): Buffer | undefined {
  try {
    const { uid, mode } = statSync(file);
    if (process.getuid && (uid !== process.getuid() || (mode & 0o022) !== 0)) return undefined;
    const bytes = readFileSync(file);
    const compiled = bytes.subarray(sumBytes);
    return bytes.readUInt32LE() === sumOf(compiled) ? compiled : undefined;
  } catch {
    return undefined;
  }
}

function keep(file: string, script: Script): void {
  try {
    const dir = dirname(file);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(dir))
      if (name.startsWith(prefix)) rmSync(join(dir, name), { force: true });
    const compiled = script.createCachedData();
    const sum = Buffer.alloc(sumBytes);
    sum.writeUInt32LE(sumOf(compiled));
    replaceFile(file, Buffer.concat([sum, compiled]));
  } catch {
    // A full disk, no home: then every start compiles.
  }
}

/**
 * FNV-1a over words of four bytes: detects a truncated file, which V8 would crash on. (Loading
 * node:crypto for it would cost more than it is worth.)
 */
function sumOf(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = 0x811c9dc5;
  for (let at = 0; at + 4 <= view.byteLength; at += 4) {
    sum = Math.imul(sum ^ view.getUint32(at, true), 0x01000193);
  }
  return (sum ^ bytes.length) >>> 0;
}
