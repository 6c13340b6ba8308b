import { formatCount } from "../../base/text/counted.ts";
import { shortenHash } from "../../base/text/short-hash.ts";
import { linkEvidence } from "../../protocol/reading/evidence.ts";
import { supersededWords } from "../decisions/words.ts";
import type { ReviewAnswer, ReviewDecision, ReviewFile, ReviewSession } from "./operation.ts";

/** How a session stands in a review of a change. */

/** Said where no session is listed: none is a finding only where all was looked at. */
export const wordNoSession = ({
  commits_not_analysed,
}: Pick<ReviewAnswer, "commits_not_analysed">): string =>
  commits_not_analysed > 0
    ? "The commits are not analysed yet, so the sessions that led to them are unknown."
    : "No recorded session led to it.";

/** Said while only the lines are there. */
export const notLookedAtYet = "Who wrote these lines, and why, is still being looked up.";

/** Whether nothing is known of who wrote the added lines, as not all of it was looked at. */
export const isNotKnownYet = ({
  commits_not_analysed,
  lines,
}: Pick<ReviewAnswer, "commits_not_analysed" | "lines">): boolean =>
  commits_not_analysed > 0 && lines.agent + lines.human === 0;

export const notKnownYet = "who wrote it is not known yet";

/** Its turns that are named before the rest is counted: those that wrote something say most. */
export function turnsToShow<Turn extends Pick<ReviewSession["turns"][number], "lines">>(
  turns: readonly Turn[],
  most: number,
): { shown: Turn[]; more: number } {
  const wrote = turns.filter(({ lines }) => lines > 0);
  const shown = (wrote.length > 0 ? wrote : turns).slice(0, most);
  return { shown, more: turns.length - shown.length };
}

/** What ties it to a commit of the change; "" where only the lines do. */
export const describeTie = ({ how, confidence }: Pick<ReviewSession, "how" | "confidence">): string =>
  how === null || confidence === null ? "" : linkEvidence({ how, confidence });

/** What became of a file; what was only changed needs no word. */
export const statusNames: Partial<Record<ReviewFile["status"], string>> = {
  A: "new",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "another kind of file",
};

/** What a change does to a decision: it was made for it, it removes what was written for it, or a later one took its place. */
export function describeDecisionFate({ made_here, lines_removed, superseded }: ReviewDecision): string[] {
  return [
    ...(made_here ? ["made for this change"] : []),
    ...(lines_removed > 0
      ? [`may be broken: ${formatCount(lines_removed, "line")} written for it removed`]
      : []),
    ...(superseded === null ? [] : [supersededWords[superseded]]),
  ];
}

/** What commits of a change undid of others: a path or a commit's subject as it is stored, and what became of it. */
export const contestedText = ({ reworked, reverts }: ReviewAnswer): [text: string, about: string][] => [
  ...reverts.map(({ subject, hash }): [string, string] => [subject, shortenHash(hash)]),
  ...reworked.map(({ path, lines, commits }): [string, string] => [
    path,
    `${lines.toLocaleString("en")} lines written and removed again, in ${commits} commits`,
  ]),
];

/** In which order files are to be looked at, as it is said above them. */
export const fileOrderWords =
  "First come files that lost lines written because of a decision. Then come files with lines that were written and removed again, files with agents' lines after which no test ran, and files with the most lines by agents and unknown authors. Tests come last.";

/** What a change took out of what was written for a decision. */
export const describeUndone = ({ lines_removed, removed_at }: ReviewDecision): string =>
  `${formatCount(lines_removed, "line")} written for it removed, the first at ${removed_at}`;

/** Decisions whose lines the change takes out of a file. */
const listContradicted = ({ decisions }: ReviewAnswer, path: string): ReviewDecision[] =>
  decisions.filter(({ lines_removed, files }) => lines_removed > 0 && files.includes(path));

/** A file's lines by agents whose session is not known to have run a test since. */
function countUntested({ authors, sessions }: ReviewAnswer, { hunks }: ReviewFile): number {
  const isUntested = authors.map(({ author, session_id, turn }) => {
    const last = sessions.find((session) => session.session_id === session_id)?.last_test_turn ?? null;
    return author === "agent" && turn !== null && last !== null && turn > last;
  });
  return hunks.flatMap(({ lines }) => lines).filter(({ by }) => by !== null && isUntested[by]).length;
}

/** What of a file's change is to be looked at, a few words each. */
export function describeRisks(answer: ReviewAnswer, file: ReviewFile): string[] {
  const contradicted = listContradicted(answer, file.path).length;
  const again = answer.reworked.find(({ path }) => path === file.path);
  const isCode = !answer.tests_changed.includes(file.path);
  const untested = countUntested(answer, file);
  const isUntested =
    isCode && file.lines.agent > 0 && answer.tests_changed.length + answer.tests.length === 0;
  return [
    contradicted > 0 ? `removes lines written for ${formatCount(contradicted, "decision")}` : "",
    again === undefined ? "" : `${formatCount(again.lines, "line")} written and removed again`,
    isCode && untested > 0 ? `no test run recorded after agents wrote ${formatCount(untested, "line")}` : "",
    isUntested ? "no test found for it" : "",
    file.lines.unknown > 0 ? `${formatCount(file.lines.unknown, "line")} by unknown authors` : "",
  ].filter((risk) => risk !== "");
}

/** The files by the prompt that wrote their lines, the earliest first; each with that prompt's hunks. */
export function groupByPrompt(answer: ReviewAnswer): { title?: string; files: ReviewFile[] }[] {
  const prompts = answer.sessions.flatMap(({ session_id, turns }) =>
    turns.map(({ turn, prompt, started_at }) => ({
      title: prompt ?? `Turn ${turn}`,
      at: started_at ?? "",
      includes: (by: number) =>
        answer.authors[by]?.session_id === session_id && answer.authors[by]?.turn === turn,
    })),
  );
  const isIncluded = (by: number) => prompts.some(({ includes }) => includes(by));
  const rest = {
    title: "Prompt unknown",
    at: "\uffff",
    includes: (by: number) => !isIncluded(by),
  };
  const ordered = orderFiles(answer);
  return [...prompts, rest]
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ title, includes }) => ({
      title,
      files: ordered.flatMap((file) => {
        const hunks = file.hunks.filter(({ lines }) => {
          const authors = lines.flatMap(({ by }) => (by === null ? [] : [by]));
          // What only removes lines has no author.
          return authors.length === 0 ? includes(-1) : authors.some(includes);
        });
        return hunks.length > 0 ? [{ ...file, hunks }] : [];
      }),
    }))
    .filter(({ files }) => files.length > 0);
}

/** Files in the order in which they are to be looked at. */
export function orderFiles(answer: ReviewAnswer): ReviewFile[] {
  const { files, reworked, tests_changed } = answer;
  const reworkedLines = new Map(reworked.map(({ path, lines }) => [path, lines]));
  const untestedLines = new Map(files.map((file) => [file.path, countUntested(answer, file)]));
  const rank = ({ path, lines }: ReviewFile) => [
    tests_changed.includes(path) ? 1 : 0,
    -listContradicted(answer, path).length,
    -(reworkedLines.get(path) ?? 0),
    -(untestedLines.get(path) ?? 0),
    -(lines.agent + lines.unknown),
  ];
  return files.toSorted((a, b) => {
    const [ranked, other] = [rank(a), rank(b)];
    return ranked.map((value, i) => value - other[i]!).find((difference) => difference !== 0) ?? 0;
  });
}
