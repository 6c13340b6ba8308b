import { formatCount } from "../../base/text/counted.ts";
import type { GraphEdge } from "../graph.ts";
import type { LineAuthor } from "../line-author.ts";
import type { Coverage } from "../results.ts";
import { type AttributionBasis, type BindingHow, type Verdict, verdicts } from "../values.ts";

/** What a verdict is called. */
export const verdictText: Readonly<Record<Verdict, string>> = {
  found: "found",
  maybe: "maybe",
  not_yet: "not yet",
  probably_not_here: "probably not here",
};

const verdictAdvice: Readonly<Record<Verdict, string | null>> = {
  found: null,
  maybe: "Maybe: these come closest; check whether they answer it.",
  not_yet: null,
  probably_not_here: "Probably not here. These come closest:",
};

/** What an answer says of itself. */
interface Judged {
  verdict: Verdict;
  coverage?: Coverage | undefined;
}

/** What a reader should know before the results; null: nothing, as they answer the question. */
export function adviseOn({ verdict, coverage }: Judged): string | null {
  const said = [verdictAdvice[verdict], coverage && describeCoverage(coverage)].filter(Boolean);
  return said.length === 0 ? null : said.join(" ");
}

/** "From the text of 5,012 files; the index is 12 % done.", "12 of 300 commits are read." */
export function describeCoverage(coverage: Coverage): string {
  const { of, done, total } = coverage;
  if (of !== "files") return `${formatNumber(done ?? 0)} of ${formatNumber(total)} ${of} are read.`;
  return `From the text of ${formatFilesRead(coverage)}${describeProgress(coverage, "; ")}.`;
}

/** Where nothing was found, and not all is read yet: what that is true of. */
export function describeNothingYet(coverage: Coverage): string {
  if (coverage.of !== "files") return `Nothing yet: ${describeCoverage(coverage)}`;
  const progress = describeProgress(coverage, " yet: ", ", which also finds by meaning,");
  return `None of ${formatFilesRead(coverage)} contains these words${progress}.`;
}

const formatFilesRead = ({ files_read = 0 }: Coverage) => formatCount(files_read, "file");

/** How far the index is; nothing where it cannot be reached. */
function describeProgress({ done, total }: Coverage, before: string, what = ""): string {
  if (done === null) return "";
  const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
  return `${before}the index${what} is ${percent} % done`;
}

const formatNumber = (number: number): string => number.toLocaleString("en");

/** The verdict of several answers together: the best of them. */
export function chooseBestVerdict(answers: readonly ({ verdict: Verdict } | null)[]): Verdict {
  return (
    verdicts.find((verdict) => answers.some((answer) => answer?.verdict === verdict)) ?? "probably_not_here"
  );
}

/** How fast it gets less likely, from place to place, that a result is what was asked for. */
const byPlace = 0.4;

/** Puts the results of several answers in one order: how likely one is meant, by its answer's probability and its place there, from 1. */
export const computeLikelihood = ({ probability }: { probability: number }, place: number): number =>
  probability * place ** -byPlace;

/** A definition with the type that it is in: `Hono.fetch`. A file by its own name. */
export const nameInFull = ({ name, parent, kind }: Pick<GraphEdge, "name" | "parent" | "kind">): string =>
  parent === null || kind === "file" ? name : `${parent}.${name}`;

/** What is said behind an edge's other end, unless it is resolved: " (1 of 3)", " (unique)"; `more` comes first. */
export function describeCertainty(
  { confidence, candidates }: Pick<GraphEdge, "confidence" | "candidates">,
  ...more: string[]
): string {
  const sure = confidence === "ambiguous" ? `1 of ${candidates}` : confidence;
  const parts = confidence === "resolved" ? more : [...more, sure];
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

/** The same, and how the other end is used unless it is called: " (type, unique)". */
export const describeUse = (edge: Pick<GraphEdge, "how" | "confidence" | "candidates">): string =>
  isCall(edge) ? describeCertainty(edge) : describeCertainty(edge, edge.how);

/** Whether an edge runs code: who names a type or hands a function on calls nothing. */
export const isCall = ({ how }: Pick<GraphEdge, "how">): boolean => how === "call" || how === "construct";

/** A command line shows that a command ran, and not what it wrote: no figure would say how sure that is. */
const byCommand: ReadonlySet<AttributionBasis | null> = new Set([
  "ran",
  "named",
  "generated",
  "installed",
  "replaced",
  "brought",
] as const);

/** How sure it is who wrote a line: "98%", or "ran a command"; "" where nobody is named, or another tool says so. */
export function describeLineEvidence({ author, confidence, basis, said_by }: LineAuthor): string {
  if ((author !== "agent" && author !== "human") || said_by !== "pommel") return "";
  return author === "agent" && byCommand.has(basis) ? "ran a command" : `${Math.round(100 * confidence)}%`;
}

/** Less is a guess. */
export const certain = 0.7;

const words: Readonly<Record<BindingHow, string>> = {
  lines: "wrote lines of it",
  removed: "removed the same lines",
  command: "ran git commit",
  touched: "changed its files shortly before",
  trailer: "named in the commit by another tool",
};

/** What links a commit with a session, in words: "ran git commit", "wrote 12 lines of it", "maybe: ran git commit". */
export function linkEvidence({ how, confidence, lines = 0 }: Link): string {
  const said =
    how === "lines" && lines > 0 ? `wrote ${lines === 1 ? "1 line" : `${lines} lines`} of it` : words[how];
  return confidence < certain ? `maybe: ${said}` : said;
}

/** "led to", and for a guess "maybe led to": what is said of a session and a commit. */
export const wordLed = ({ confidence }: Pick<Link, "confidence">): string =>
  confidence < certain ? "maybe led to" : "led to";

/** What a link rests on that is a guess, or another tool's word; null for others. */
export const describeWeakLink = ({ how, confidence }: Link): string | null =>
  confidence < certain || how === "trailer" ? words[how] : null;

interface Link {
  how: BindingHow;
  confidence: number;
  /** Those that it wrote; left out where they are said beside it. */
  lines?: number;
}

/**
 * Who wrote lines, as far as it is known: "agent claude-opus-4", "Ann", "unknown (Ann)", "Ann, before agents". Nobody is named who
 * need not have written them.
 * @param person git's author
 */
export function nameLineAuthor({ author, agent, model }: LineAuthor, person: string | null): string {
  if (author === "agent") return ["agent", model ?? agent ?? ""].join(" ").trim();
  if (author === "human") return person ?? "a person";
  if (author === "before_agents") return person === null ? "before agents" : `${person}, before agents`;
  return person === null ? "unknown" : `unknown (${person})`;
}
