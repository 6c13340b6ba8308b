import { timingSafeEqual } from "node:crypto";
import { PommelError } from "../../project/errors.ts";
import type { PageAccess } from "./page-access.ts";

/** What a request says about where it comes from: its headers, by their names in lower case. */
export type RequestOrigin = Readonly<Record<string, string | undefined>>;

/** Who asks: a program that knows the token, or the local page in a browser. */
export type Asker = "program" | "page";

/**
 * Refuses what other web pages send: they use another host name (DNS rebinding) or send their own `Origin`.
 * @throws PommelError `forbidden`
 */
export function guardAddress({ host, origin }: RequestOrigin, port: number): void {
  const ours = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!ours.includes(host ?? "")) {
    throw new PommelError("forbidden", "The Host header names another server.", `Use ${ours[0]}.`);
  }
  if (origin !== undefined && !ours.some((host) => origin === `http://${host}`)) {
    throw new PommelError("forbidden", "Requests from other origins are refused.");
  }
}

/**
 * Refuses every request that does not come from a program of this user or from the page: another user knows neither the
 * token nor a cookie.
 * @param isChange whether the request changes something
 * @throws PommelError `unauthorized` (token, cookie) or `forbidden` (a request that another page made)
 */
export function guardAccess(
  headers: RequestOrigin,
  { port, token, pages, isChange }: { port: number; token: string; pages: PageAccess; isChange: boolean },
): Asker {
  if (isToken(headers.authorization, token)) return "program";
  if (headers.authorization === undefined && pages.isSignedIn(headers.cookie, port)) {
    // A page on another port has the same cookies, and is the same site. Browsers say who asks, and no page can change it.
    if (headers["sec-fetch-site"] !== "same-origin" || (isChange && headers.origin === undefined)) {
      throw new PommelError("forbidden", "Only Pommel's own page may use its cookie.", "Run `pm open`.");
    }
    return "page";
  }
  throw new PommelError(
    "unauthorized",
    "The token is missing or wrong.",
    "Send `Authorization: Bearer <token>` with the token of daemon.json in the state directory (`pm status` names it); for the page in a browser, run `pm open`.",
  );
}

function isToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
