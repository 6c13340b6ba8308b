import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type LineRange, locate, parsePlace } from "../../answers/file-place.ts";
import { wordForAgents } from "../../answers/word-for-agents.ts";
import { PommelError } from "../../base/errors.ts";
import { quote } from "../../base/text/quotation.ts";
import { listWorkingFiles } from "../../git/working-files.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { computeItemRoom, fitLines } from "../../tools/budget.ts";
import { historyLabel, shortenToLine } from "../../tools/text.ts";
import { ask, type CallContext } from "../../tools/tool.ts";
import { type BlameAnswer, blame } from "../blame/operation.ts";
import { wordBlame } from "../blame/words.ts";
import { type WhyAnswer, why as whyOperation } from "./operation.ts";
import { wordWhy } from "./words.ts";

interface WhyToolArgs {
  place: string;
  revision?: string | undefined;
  max_tokens: number;
}

const sessionsNamed = 3;

/** Why lines are as they are, or who wrote which lines of a file. */
export const answerWhy = async (args: WhyToolArgs, context: CallContext): Promise<string> => {
  const { file, lines } = await parseRequestedPlace(args.place, context);
  const rev = args.revision;
  if (lines === null) return wordFile(await ask(context, blame, { file, rev }), args.max_tokens);
  const request = { file, first_line: lines.first, last_line: lines.last, rev };
  return wordLines(await ask(context, whyOperation, request), args.max_tokens);
};

/**
 * The file from the project's root, and the lines of it that are meant; a file may be named by the end of its path.
 * @throws PommelError `usage`
 */
async function parseRequestedPlace(
  place: string,
  { project, cwd }: CallContext,
): Promise<{ file: string; lines: LineRange | null }> {
  const isThere = (name: string) => [cwd, project.root].some((dir) => existsSync(resolve(dir, name)));
  const named = parsePlace(place, isThere);
  const file = locate(project, cwd, named.file);
  if (isThere(named.file)) return { file, lines: named.lines };
  const found = (await listWorkingFiles(project.root).catch(() => [])).filter((one) =>
    one.endsWith(`/${file}`),
  );
  if (found.length > 1) {
    throw new PommelError(
      "usage",
      `Several files are called ${named.file}.`,
      `Name one: ${found.slice(0, 5).join(", ")}.`,
    );
  }
  return { file: found[0] ?? file, lines: named.lines };
}

/** Who wrote which lines; those that nobody is known of are only counted. */
function wordFile(blamed: BlameAnswer, maxTokens: number): string {
  const { lines, agent, human, unknown, before_agents, by_session } = blamed.summary;
  const sessions = by_session
    .slice(0, sessionsNamed)
    .map(
      (one) =>
        `${shortenSessionId(one.session_id)} ${one.lines}${one.session_title === null ? "" : ` ${quote(one.session_title, 60)}`}`,
    );
  const ranges = blamed.ranges.filter(({ author }) => author === "agent" || author === "human");
  const known = wordForAgents(wordBlame({ ...blamed, ranges }));
  const head = [
    historyLabel,
    `${blamed.file}: ${lines} lines, ${agent} by agents, ${human} by people, ${unknown} unknown, ${before_agents} from before agents`,
    ...(sessions.length > 0 ? [`Lines by session: ${sessions.join(", ")}`] : []),
  ];
  const rows = fitLines(known, computeItemRoom(maxTokens) - head.join("\n").length);
  const left = known.length - rows.length;
  return [
    ...head,
    ...rows,
    ...(left > 0 ? [`${left} more ranges: max_tokens`] : []),
    "For the reasons: why FILE:LINES.",
    ...blamed.notes.map((note) => shortenToLine(note, 200)),
  ].join("\n");
}

/** Where lines come from, with decisions near them and earlier versions: the most important first. */
export function wordLines(answer: WhyAnswer, maxTokens: number): string {
  const [where = "", ...rows] = wordForAgents(wordWhy(answer, "agent"));
  const shown = fitLines(rows, computeItemRoom(maxTokens) - historyLabel.length - where.length);
  const cut = rows.length - shown.length;
  return [historyLabel, where, ...shown, ...(cut > 0 ? [`${cut} more lines: max_tokens`] : [])].join("\n");
}
