import { isOwnTool } from "../../agents/reading/own-output.ts";
import type { Subjects } from "../../answers/operation.ts";
import { answerAbout } from "../../answers/run.ts";
import { parseWhen } from "../../base/text/dates.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { type Injected, listInjections } from "../context/operation.ts";
import type { UsedAnswer, usedRequest } from "./operation.ts";

const defaultSince = "30 days ago";
/** Each is looked up in what its session did afterwards. */
const maxInjections = 200;
const maxSessions = 1000;

/** How often agents called Pommel, and whether they used what they were given. */
export async function showUsed(
  { project, memory }: Subjects["memory"],
  { since = defaultSince }: Shaped<typeof usedRequest>,
): Promise<UsedAnswer> {
  const from = await parseWhen(since, "since");
  const tools = new Map<string, { calls: number; sessions: number }>();
  const sessions = listSessions(memory, { since: from, limit: maxSessions });
  let calling = 0;
  for (const { id } of sessions) {
    const own = new Map<string, number>();
    for (const turn of listTurns(memory, id))
      for (const [name, count] of Object.entries(turn.tools)) {
        const tool = nameOfOwn(name);
        if (tool !== null) own.set(tool, (own.get(tool) ?? 0) + count);
      }
    if (own.size > 0) calling++;
    for (const [tool, count] of own) {
      const sum = tools.get(tool) ?? { calls: 0, sessions: 0 };
      tools.set(tool, { calls: sum.calls + count, sessions: sum.sessions + 1 });
    }
  }
  const { injections } = await answerAbout(listInjections, { project, memory }, { limit: maxInjections });
  return {
    since: new Date(from).toISOString(),
    sessions: sessions.length,
    sessions_calling: calling,
    calls: [...tools]
      .map(([tool, { calls, sessions: count }]) => ({ tool, calls, sessions: count }))
      .sort((a, b) => b.calls - a.calls),
    injections: sumInjections(injections, from),
  };
}

/** "recall" of `mcp__pommel__recall`, `pommel_recall` and `pommel-recall`: each client has its own form. */
function nameOfOwn(name: string): string | null {
  const [, tool] = /^(?:mcp_+)?(?:plugin_)?(?:pommel[_-]+)+(\w+)$/.exec(name) ?? [];
  if (tool !== undefined) return tool;
  return isOwnTool(name) ? name.slice(name.lastIndexOf("__") + 2) : null;
}

function sumInjections(injections: readonly Injected[], from: number): UsedAnswer["injections"] {
  const byEvent = new Map<string, UsedAnswer["injections"][number]>();
  for (const { event, at, items } of injections) {
    if (Date.parse(at) < from) continue;
    const sum = byEvent.get(event) ?? { event, injections: 0, used: 0, not_used: 0, unknown: 0 };
    byEvent.set(event, sum);
    sum.injections++;
    const outcomes = items.flatMap(({ use }) => use?.outcome ?? []);
    if (outcomes.includes("used")) sum.used++;
    else if (outcomes.includes("not_used")) sum.not_used++;
    else sum.unknown++;
  }
  return [...byEvent.values()].sort((a, b) => b.injections - a.injections);
}
