import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { codeLifetimeMs, PageAccess } from "./page.ts";

const port = 17_000;
let dir: string;
let now: number;
let access: PageAccess;
const opened = () => new PageAccess(join(dir, "state/page-key"), () => now);

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "pommel-page-"));
  now = Date.UTC(2026, 2, 2);
  access = opened();
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** What a browser sends back after a code's `Set-Cookie`. */
const cookieOf = (setCookie: string | null) => setCookie!.split(";")[0]!;

test("a code signs in once", () => {
  const code = access.createCode();
  expect(access.signIn(code, port)).toMatch(
    /^pommel-17000=[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  expect(access.signIn(code, port)).toBeNull();
});

test("a code works for a minute", () => {
  const [one, other] = [access.createCode(), access.createCode()];
  now += codeLifetimeMs;
  expect(access.signIn(one, port)).not.toBeNull();
  now += 1;
  expect(access.signIn(other, port)).toBeNull();
});

test("a guessed code signs nobody in", () => {
  access.createCode();
  for (const guess of ["", "x", "a".repeat(43)]) expect(access.signIn(guess, port)).toBeNull();
});

test("only so many unused codes are valid: the latest", () => {
  const codes = Array.from({ length: 40 }, () => access.createCode());
  expect(access.signIn(codes[0]!, port)).toBeNull();
  expect(access.signIn(codes.at(-1)!, port)).not.toBeNull();
});

test("a cookie is valid beside those of others, and after a restart of the daemon", () => {
  const cookie = cookieOf(access.signIn(access.createCode(), port));
  expect(access.isSignedIn(`a=b; ${cookie}; pommel-17000=old.x.y`, port)).toBe(true);
  expect(opened().isSignedIn(cookie, port)).toBe(true);
});

test("a cookie is no longer valid after its time, under another key, or on another port", () => {
  const cookie = cookieOf(access.signIn(access.createCode(), port));
  expect(access.isSignedIn(cookie, port + 1)).toBe(false);
  now += 30 * 24 * 3600 * 1000;
  expect(access.isSignedIn(cookie, port)).toBe(false);
  now -= 1;
  expect(access.isSignedIn(cookie, port)).toBe(true);
  rmSync(join(dir, "state/page-key"));
  expect(access.isSignedIn(cookie, port)).toBe(false);
});

test("a changed cookie is not valid", () => {
  const [name, value = ""] = cookieOf(access.signIn(access.createCode(), port)).split("=");
  const [expires, random, signature] = value.split(".");
  for (const forged of [
    "",
    "..",
    `${expires}.${random}`,
    `${expires}.${random}.`,
    `${Number(expires) + 1}.${random}.${signature}`,
    `${expires}.${random}x.${signature}`,
    `${expires}.${random}.${signature}x`,
  ]) {
    expect(access.isSignedIn(`${name}=${forged}`, port)).toBe(false);
  }
  expect(access.isSignedIn(undefined, port)).toBe(false);
});

test("the key is its owner's alone, and no cookie or code is stored", () => {
  const code = access.createCode();
  access.signIn(code, port);
  const file = join(dir, "state/page-key");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file)).toHaveLength(32);
});
