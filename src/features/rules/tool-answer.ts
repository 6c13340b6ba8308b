import { ask, type CallContext } from "../../tools/tool.ts";
import { listRules } from "./operation.ts";
import { wordRulesForAgents } from "./words.ts";

/** What the user told agents not to do, and the repository; nothing where calls are not checked, either. */
export async function tellRules(context: CallContext): Promise<string[]> {
  const { is_checked, ...listed } = await ask(context, listRules, {});
  return is_checked ? wordRulesForAgents(listed) : [];
}
