import { PommelError } from "../../../base/errors.ts";
import { type RecallRequest, recall } from "../../../features/recall/operation.ts";
import { wordRecall } from "../../../features/recall/words.ts";
import { ask, type CallContext, resolveSearchScope } from "../tool.ts";
import { toProjectPaths } from "./places.ts";

/** Tokens of an answer, unless the caller says. */
const defaultTokens = { claims: 300, read: 1000 } as const;

interface Args extends Omit<RecallRequest, "file" | "asked_by"> {
  files?: string[] | undefined;
  project?: string | undefined;
  all_projects?: boolean | undefined;
  max_tokens?: number | undefined;
}

export const recallPast = async (args: Args, context: CallContext): Promise<string> => {
  const { files, project: _, all_projects: __, max_tokens, id, ...filters } = args;
  if (resolveSearchScope(args, context) !== null && filters.about !== undefined) {
    const { searchSessions } = await import("../old-answers.ts");
    const { about, since, until, branch, agent, limit, all_projects } = args;
    return searchSessions({ query: about, since, until, branch, agent, limit, all_projects }, context);
  }
  const request: RecallRequest = {
    ...filters,
    ...(id !== undefined && { id: resolveCurrentId(id, context) }),
    ...(files && { file: toProjectPaths(context, files) }),
    ...(context.ownSession !== null && { asked_by: context.ownSession }),
  };
  const answer = await ask(context, recall, request);
  const fallback = answer.read === null ? defaultTokens.claims : defaultTokens.read;
  return wordRecall(answer, max_tokens ?? fallback);
};

/** "current" and "current:3" are the session that asks. @throws PommelError `usage` */
export function resolveCurrentId(id: string, { ownSession }: CallContext): string {
  if (!/^current(?::\d+)?$/.test(id)) return id;
  if (ownSession !== null) return id.replace("current", ownSession);
  throw new PommelError(
    "usage",
    "The current session is unknown: the client does not name it.",
    "recall without arguments says where work stopped.",
  );
}
