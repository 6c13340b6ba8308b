import { call } from "../../../../client/call.ts";
import type { Project } from "../../../../project/paths.ts";
import { vanishingText } from "../../status/memory.ts";
import { type CheckResult, ok, warn } from "./check.ts";

/** Which sessions the agents' clients will delete soon, and whether they are stored by then. */
export async function checkRetention(project: Project): Promise<CheckResult> {
  const deleting = await call("vanishing", {}, project);
  const lost = deleting.find(({ sessions, stored }) => stored < sessions);
  if (lost) {
    return warn(
      vanishingText(lost),
      `Run \`pm import ${lost.agent}\`. ${lost.setting} in the settings of ${lost.title} says how long it keeps them (${lost.days} days).`,
    );
  }
  if (deleting.length === 0) return ok("no agent used here deletes its sessions");
  const texts = deleting.map(({ title, days, sessions, within_days }) => {
    const soon = sessions === 0 ? "none expires" : `${sessions} expire (all imported)`;
    return `${title} deletes sessions after ${days} days; ${soon} within ${within_days} days`;
  });
  return ok(texts.join("; "));
}
