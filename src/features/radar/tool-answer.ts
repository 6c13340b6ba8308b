import { ask, type CallContext } from "../../tools/tool.ts";
import { showRadar } from "./operation.ts";
import { wordRadarForAgents } from "./words.ts";

/** What other sessions are changing; nothing where agents are not told by themselves, either. */
export async function tellWorkNow(context: CallContext): Promise<string[]> {
  const answer = await ask(context, showRadar, {});
  return answer.is_on ? wordRadarForAgents(answer, context.ownSession) : [];
}
