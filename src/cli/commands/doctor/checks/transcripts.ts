import { existsSync } from "node:fs";
import { agents, placesOf } from "../../../../agents/registry.ts";
import { call } from "../../../../client/call.ts";
import type { Project } from "../../../../project/paths.ts";
import type { LeftOut } from "../../../../sessions/ingest/left-out.ts";
import { type CheckResult, ok } from "./check.ts";

/** Where agents keep conversations on this machine, and what was not understood in them. */
export async function checkTranscripts(
  project: Project,
  env: NodeJS.ProcessEnv = process.env,
): Promise<CheckResult> {
  const found: string[] = [];
  for (const agent of agents) {
    const places = placesOf(agent, [project.root], env).filter((place) => existsSync(place));
    if (places.length === 0) continue;
    found.push(`${agent.title} in ${places.join(" and ")}`);
  }
  if (found.length === 0) return ok("no agent keeps transcripts here yet");
  const odd = await call("leftOut", {}, project);
  return ok([`transcripts of ${found.join(", ")}`, ...odd.map(asText)].join("; "));
}

/** A newer client may write lines that this version does not know; the others are recorded all the same. */
function asText({ agent, unknown, kinds, damaged }: LeftOut): string {
  const title = agents.find(({ name }) => name === agent)?.title ?? agent;
  const what = [
    ...(unknown > 0 ? [`${unknown} lines of unknown kinds (${named(kinds)})`] : []),
    ...(damaged > 0 ? [`${damaged} damaged or oversized`] : []),
  ];
  return `skipped in ${title}'s: ${what.join(" and ")}`;
}

const named = (kinds: readonly string[]) =>
  [...kinds.slice(0, 5), ...(kinds.length > 5 ? ["…"] : [])].join(", ");
