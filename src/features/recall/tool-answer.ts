import type { TranscriptSearchRequest } from "../../protocol/search-sessions.ts";
import { toProjectPaths } from "../../tools/places.ts";
import {
  ask,
  askEverywhere,
  type CallContext,
  describeSkipped,
  findOtherRoot,
  isCurrent,
  resolveCurrentId,
  resolveSearchScope,
} from "../../tools/tool.ts";
import { searchEverywhere, searchTranscripts } from "../search/operation.ts";
import { sessionsRead, workNow } from "../work-now.ts";
import { toFoundClaim } from "./claim-words.ts";
import { type RecallAnswer, type RecallRequest, recall } from "./operation.ts";
import { wordRecall } from "./words.ts";

/** Tokens of an answer, unless the caller says. */
const defaultTokens = { claims: 300, read: 1000 } as const;

interface RecallToolArgs extends Omit<RecallRequest, "file" | "asked_by"> {
  files?: string[] | undefined;
  project?: string | undefined;
  all_projects?: boolean | undefined;
  max_tokens?: number | undefined;
}

export const recallPast = async (args: RecallToolArgs, context: CallContext): Promise<string> => {
  const { files, project: _, all_projects: __, max_tokens, id, ...filters } = args;
  const here = resolveSearchScope(args, context);
  if (here !== null && filters.about !== undefined) {
    const found = await recallEverywhere(here, { ...filters, about: filters.about }, context);
    return wordRecall(found, max_tokens ?? defaultTokens.claims);
  }
  const isUnknown = id !== undefined && isCurrent(id) && context.ownSession === null;
  const request: RecallRequest = {
    ...filters,
    ...(id !== undefined && !isUnknown && { id: resolveCurrentId(id, context) }),
    ...(files && { file: toProjectPaths(context, files) }),
    asked_by: context.ownSession ?? "current",
  };
  const answer = await ask(context, recall, request);
  const fallback = answer.read === null ? defaultTokens.claims : defaultTokens.read;
  const notes = [
    ...(isUnknown ? ["The client does not name the current session: this is where work stopped."] : []),
    ...(answer.state === null ? [] : await listWorkNow(context)),
  ];
  const worded = wordRecall({ ...answer, notes: [...notes, ...answer.notes] }, max_tokens ?? fallback);
  return answer.read === null
    ? worded
    : [worded, ...(await listFactsOfRead(answer.read, context))].join("\n");
};

async function listFactsOfRead(
  { session_id: session, turn, author }: NonNullable<RecallAnswer["read"]>,
  context: CallContext,
): Promise<string[]> {
  // What a colleague's session changed is in their files.
  if (author !== null) return [];
  const lines: string[] = [];
  for (const load of Object.values(sessionsRead))
    lines.push(...(await (await load())(context, { session, turn })));
  return lines;
}

async function listWorkNow(context: CallContext): Promise<string[]> {
  const lines: string[] = [];
  for (const load of Object.values(workNow)) lines.push(...(await (await load())(context)));
  return lines;
}

/** Passages of all projects' sessions: what they decided and ran is of their own repositories. */
async function recallEverywhere(
  here: NonNullable<CallContext["across"]>,
  {
    about,
    since,
    until,
    branch,
    agent,
    limit,
  }: Pick<RecallRequest, "since" | "until" | "branch" | "agent" | "limit"> & { about: string },
  context: CallContext,
): Promise<RecallAnswer> {
  const asked = { q: about, since, until, branch, agent, limit, asks: ["transcripts" as const] };
  const { transcripts, left_out } = await askEverywhere(here, searchEverywhere, asked, context);
  const { results = [], notes = [], ...found } = transcripts ?? { verdict: "probably_not_here" };
  const claims = results.map((result) => {
    const { standing, ...claim } = toFoundClaim(result);
    const root = findOtherRoot(result.project, here, context);
    return { ...claim, standing: [...standing, ...(root === null ? [] : [root])] };
  });
  return toAnswer(found, claims, [...notes, ...describeSkipped(left_out)]);
}

const toAnswer = (
  { verdict, coverage }: Pick<RecallAnswer, "verdict" | "coverage">,
  claims: RecallAnswer["claims"],
  notes: string[],
): RecallAnswer => ({ verdict, coverage, claims, state: null, read: null, notes });

interface PassageArgs extends Omit<TranscriptSearchRequest, "q" | "file" | "session"> {
  about: string;
  files?: string[] | undefined;
  session_id?: string | undefined;
  project?: string | undefined;
  all_projects?: boolean | undefined;
  max_tokens?: number | undefined;
}

/** Passages that a search finds, as claims: for who has filters that only a search has. */
export async function recallPassages(args: PassageArgs, context: CallContext): Promise<string> {
  const { about, files, session_id, project: _, all_projects: __, max_tokens, ...filters } = args;
  const here = resolveSearchScope(args, context);
  const tokens = max_tokens ?? defaultTokens.read;
  if (here !== null) return wordRecall(await recallEverywhere(here, { ...filters, about }, context), tokens);
  const { results, notes, ...found } = await ask(context, searchTranscripts, {
    ...filters,
    q: about,
    ...(files && { file: toProjectPaths(context, files) }),
    ...(session_id && { session: resolveCurrentId(session_id, context) }),
  });
  return wordRecall(toAnswer(found, results.map(toFoundClaim), notes), tokens);
}
