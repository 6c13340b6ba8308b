import type { Project } from "../project/paths.ts";
import { findOrStartDaemon } from "./connect.ts";
import { callDaemon } from "./daemon-client.ts";

/**
 * An address of the page with a one-time code that signs a browser in. It starts the daemon where none runs.
 * @param route the page's own address of a view, as `src/ui/router.ts` reads it
 */
export async function pageUrl(
  { root }: Project,
  route: string,
): Promise<{ url: string; expires_in_seconds: number }> {
  const { record } = await findOrStartDaemon();
  const { code, expires_in_seconds } = await callDaemon(null, "pageCode", {});
  // Behind the #, so that no log and no Referer has it; the page removes it from its address.
  const url = `http://127.0.0.1:${record.port}/#code=${code}&place=${encodeURIComponent(root)}&to=${encodeURIComponent(route)}`;
  return { url, expires_in_seconds };
}
