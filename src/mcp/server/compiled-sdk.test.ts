import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { requireCompiled } from "./compiled-sdk.ts";

const require = createRequire(import.meta.url);
let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-compiled-"));
  vi.stubEnv("XDG_CACHE_HOME", join(dir, "cache"));
  vi.useFakeTimers();
  file = join(dir, "part.cjs");
  writeFileSync(
    file,
    "const { sep } = require('node:path');\nexports.answer = (n) => n + sep + __filename;\n",
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const loaded = () => (require(file) as { answer: (n: number) => string }).answer(7);
const forget = () => delete require.cache[file];
const kept = () => {
  const place = join(dir, "cache", "pommel", "compiled");
  return readdirSync(place).map((name) => join(place, name));
};

/** Loads it so that it is kept. */
function keep(): string {
  requireCompiled(file);
  vi.runAllTimers();
  forget();
  const [first, ...others] = kept();
  expect(others).toEqual([]);
  return first!;
}

it("loads a module as require would, which finds it loaded", () => {
  requireCompiled(file);
  const { exports } = require.cache[file]!;
  expect(loaded()).toBe(`7/${file}`);
  expect(require(file)).toBe(exports);
});

it("caches compiled code, and uses it while the file is the same", () => {
  const first = keep();
  requireCompiled(file);
  vi.runAllTimers();
  expect(loaded()).toBe(`7/${file}`);
  expect(kept()).toEqual([first]);
  forget();
  writeFileSync(file, "exports.answer = () => 'another';\n");
  expect(keep()).not.toBe(first);
  requireCompiled(file);
  expect(loaded()).toBe("another");
});

it.each([
  ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ["empty", () => Buffer.alloc(0)],
  ["of another content", (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -8), Buffer.alloc(8, 7)])],
])("loads the module when the cache is %s, and caches it again", (_, change) => {
  const first = keep();
  const whole = readFileSync(first);
  writeFileSync(first, change(whole));
  requireCompiled(file);
  expect(loaded()).toBe(`7/${file}`);
  vi.runAllTimers();
  expect(readFileSync(first).length).toBeGreaterThan(whole.length / 2);
});

it.skipIf(process.platform === "win32")(
  "does not trust files that others may write, and keeps its own",
  () => {
    const first = keep();
    chmodSync(first, 0o666);
    requireCompiled(file);
    expect(loaded()).toBe(`7/${file}`);
    vi.runAllTimers();
    expect(statSync(first).mode & 0o777).toBe(0o600);
  },
);

it("passes on the module's errors, and leaves nothing half loaded", () => {
  writeFileSync(file, "throw new Error('broken');\n");
  expect(() => requireCompiled(file)).toThrow("broken");
  expect(require.cache[file]).toBeUndefined();
});

it("does without where nothing can be kept", () => {
  vi.stubEnv("XDG_CACHE_HOME", join(file, "no-directory"));
  requireCompiled(file);
  vi.runAllTimers();
  expect(loaded()).toBe(`7/${file}`);
});
