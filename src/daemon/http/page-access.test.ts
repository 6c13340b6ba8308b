import { beforeEach, expect, test } from "vitest";
import { codeLifetimeMs, PageAccess } from "./page.ts";

let now: number;
let access: PageAccess;

beforeEach(() => {
  now = Date.UTC(2026, 2, 2);
  access = new PageAccess(() => now);
});

const signedIn = () => access.signIn(access.createCode())!;
const idOf = (token: string) => token.split(".")[0]!;
const browserOf = (token: string) => access.findBrowser(`Bearer ${token}`);

test("a code signs in once", () => {
  const token = signedIn();
  expect(browserOf(token)).toBe(idOf(token));
  const code = access.createCode();
  expect(access.signIn(code)).toMatch(/^[0-9a-f]{8}\.[\w-]{43}$/);
  expect(access.signIn(code)).toBeNull();
});

test("a code works for a minute", () => {
  const [one, other] = [access.createCode(), access.createCode()];
  now += codeLifetimeMs;
  expect(access.signIn(one)).not.toBeNull();
  now += 1;
  expect(access.signIn(other)).toBeNull();
});

test("a guessed code signs nobody in", () => {
  access.createCode();
  for (const guess of ["", "x", "a".repeat(43)]) expect(access.signIn(guess)).toBeNull();
});

test("only so many unused codes are valid: the latest", () => {
  const codes = Array.from({ length: 40 }, () => access.createCode());
  expect(access.signIn(codes[0]!)).toBeNull();
  expect(access.signIn(codes.at(-1)!)).not.toBeNull();
});

test("whoever was quicker with a code is signed out when it comes a second time", () => {
  const code = access.createCode();
  const [thief, other] = [access.signIn(code)!, signedIn()];
  expect(access.signIn(code)).toBeNull();
  expect(browserOf(thief)).toBeNull();
  expect(browserOf(other)).not.toBeNull();
});

test("a link that is clicked twice leaves its own browser signed in", () => {
  const code = access.createCode();
  const token = access.signIn(code)!;
  expect(access.signIn(code, "", browserOf(token))).toBeNull();
  expect(browserOf(token)).not.toBeNull();
});

test("a token is of no use to another daemon, nor to the next one", () => {
  const token = signedIn();
  expect(new PageAccess(() => now).findBrowser(`Bearer ${token}`)).toBeNull();
});

test("a changed token is not valid", () => {
  const token = signedIn();
  const other = signedIn();
  const [id, secret] = token.split(".");
  const header = `Bearer ${token}`;
  const forged = [undefined, "", "Bearer ", token, `bearer ${token}`, `${header}x`, `${header} `];
  const mixed = [`Bearer ${idOf(other)}.${secret}`, `Bearer ${id}.`, `Bearer ${id}`, `Bearer .${secret}`];
  for (const one of [...forged, ...mixed, header.slice(0, -1)]) expect(access.findBrowser(one)).toBeNull();
  expect(access.findBrowser(header)).toBe(id);
});

test("a browser that nobody uses for a week is signed out", () => {
  const maxUnusedMs = 7 * 24 * 3600 * 1000;
  const token = signedIn();
  now += maxUnusedMs - 1;
  expect(browserOf(token)).not.toBeNull();
  now += maxUnusedMs;
  expect(browserOf(token)).toBeNull();
  expect(access.listBrowsers()).toEqual([]);
});

test("only so many browsers are signed in: the latest", () => {
  const tokens = Array.from({ length: 40 }, signedIn);
  expect(browserOf(tokens[0]!)).toBeNull();
  expect(browserOf(tokens.at(-1)!)).not.toBeNull();
});

test("each browser is listed, and can be signed out alone", () => {
  const one = access.signIn(access.createCode(), "Mozilla/5.0 (X11; rv:133.0) Gecko/20100101 Firefox/133.0")!;
  now += 1000;
  const other = signedIn();
  now += 1000;
  browserOf(one);
  expect(access.listBrowsers()).toEqual([
    {
      id: idOf(one),
      name: "Firefox 133",
      signed_in_at: "2026-03-02T00:00:00.000Z",
      last_used_at: "2026-03-02T00:00:02.000Z",
    },
    {
      id: idOf(other),
      name: "unknown browser",
      signed_in_at: "2026-03-02T00:00:01.000Z",
      last_used_at: "2026-03-02T00:00:01.000Z",
    },
  ]);
  expect(access.signOut("none")).toBe(0);
  expect(access.signOut(idOf(one))).toBe(1);
  expect([one, other].map((token) => browserOf(token) !== null)).toEqual([false, true]);
});

test("all are signed out at once, with those that were about to come", () => {
  const [token, code] = [signedIn(), access.createCode()];
  expect(access.signOut()).toBe(1);
  expect(browserOf(token)).toBeNull();
  expect(access.signIn(code)).toBeNull();
});

test.each([
  [
    "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 Safari/605.1.15",
    "Safari 17",
  ],
  ["Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", "Chrome 131"],
  ["Mozilla/5.0 (Windows) Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0", "Edge 131"],
  ["\u001b[2J Firefox/<script>", "unknown browser"],
  ["Firefox/99999999999", "unknown browser"],
])("%j is listed as %s", (userAgent, name) => {
  access.signIn(access.createCode(), userAgent);
  expect(access.listBrowsers()).toMatchObject([{ name }]);
});
