import { call } from "../client/call.ts";
import { pageUrl } from "../client/page-url.ts";
import type { Project } from "../project/paths.ts";

/** What the server does when an editor runs an action, a lens or a link. */

const encoded = (text: string) => text.split("/").map(encodeURIComponent).join("/");

/** Addresses of the page's views, see `src/ui/router.ts`. */
export const routeOf = {
  session: (id: string, turn: number | null) =>
    `/session/${encoded(id)}${turn === null ? "" : `?turn=${turn}`}`,
  commit: (hash: string) => `/commit/${encoded(hash)}`,
  search: (q: string) => `/search?${new URLSearchParams({ q, in: "sessions" })}`,
} as const;

export const open = async (project: Project, route: string): Promise<string> =>
  (await pageUrl(project, route)).url;

const named = 8;

/** What a change of lines may touch, in one message. */
export async function impactText(project: Project, place: string): Promise<string> {
  const { targets, touched, total, notes } = await call("impact", { of: [place] }, project);
  const what = targets.map(({ name }) => name).join(", ");
  if (total === 0) return [`Nothing is known to use ${what || place}.`, ...notes].join(" ");
  const places = touched.slice(0, named).map(({ file, line, name }) => `${name} (${file}:${line})`);
  const more = total - places.length;
  return `A change of ${what} may touch ${places.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}
