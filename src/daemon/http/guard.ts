import { timingSafeEqual } from "node:crypto";
import { PommelError } from "../../project/errors.ts";

/** What a request says about where it comes from. */
export interface RequestOrigin {
  host: string | undefined;
  origin: string | undefined;
  authorization: string | undefined;
}

/**
 * Refuses every request that does not come from this machine's own programs: a web page uses another host name (DNS
 * rebinding) or sends its `Origin`; another user does not know the token.
 * @throws PommelError `forbidden` (host, origin) or `unauthorized` (token)
 */
export function guard(request: RequestOrigin, port: number, token: string): void {
  const ours = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!ours.includes(request.host ?? "")) {
    throw new PommelError("forbidden", "The Host header names another server.", `Use ${ours[0]}.`);
  }
  if (request.origin !== undefined && !ours.some((host) => request.origin === `http://${host}`)) {
    throw new PommelError("forbidden", "Requests from other origins are refused.");
  }
  if (!isToken(request.authorization, token)) {
    throw new PommelError(
      "unauthorized",
      "The token is missing or wrong.",
      "Send `Authorization: Bearer <token>` with the token of .pommel/daemon.json.",
    );
  }
}

function isToken(authorization: string | undefined, token: string): boolean {
  const given = Buffer.from(authorization ?? "");
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
