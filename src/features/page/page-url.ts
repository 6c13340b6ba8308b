import type { Project } from "../../base/paths.ts";
import { findOrStartDaemon } from "../../client/connect.ts";
import { callDaemon } from "../../client/daemon-client.ts";
import { createPageCode } from "./operation.ts";

/** Slashes stay readable. */
const encodePath = (text: string) => text.split("/").map(encodeURIComponent).join("/");

/** The page's own addresses of its views, as its router reads them (`src/page/router.ts`). */
export const pageRoutes = {
  home: "/",
  sessions: "/sessions",
  session: (id: string, turn: number | null = null) =>
    `/session/${encodePath(id)}${turn === null ? "" : `?turn=${turn}`}`,
  commit: (hash: string) => `/commit/${encodePath(hash)}`,
  file: (path: string, line: string | null = null) =>
    `/file/${encodePath(path)}${line === null ? "" : `:${line}`}`,
  review: (range: string) => `/review/${encodePath(range)}`,
  search: (query: { q?: string; in?: "sessions" }) =>
    query.q === undefined ? "/search" : `/search?${new URLSearchParams(query)}`,
} as const;

/**
 * An address of the page with a one-time code that signs a browser in. It starts the daemon where none runs.
 * @param route of `pageRoutes`
 */
export async function createPageUrl(
  { root }: Project,
  route: string,
): Promise<{ url: string; expires_in_seconds: number }> {
  const { record } = await findOrStartDaemon();
  const { code, expires_in_seconds } = await callDaemon(root, createPageCode, {});
  // Behind the #, so that no log and no Referer has it; the page removes it from its address.
  const url = `http://127.0.0.1:${record.port}/#code=${code}&place=${encodeURIComponent(root)}&to=${encodeURIComponent(route)}`;
  return { url, expires_in_seconds };
}
