import { call } from "../client/call.ts";
import type { Project } from "../project/paths.ts";

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
