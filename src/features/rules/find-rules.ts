import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";
import { splitSentences } from "../../sessions/summaries/prose.ts";
import { type CallToCheck, findNamesOfTool, type RuleCheck } from "./check.ts";
import said from "./orders.json" with { type: "json" };

/**
 * The rules in what a person says: sentences that tell an agent not to do something that can be seen in a call. What cannot be checked,
 * or is about one time only, is none: silence is better than a rule that nobody meant. English only.
 */

export interface RuleSaid {
  text: string;
  check: RuleCheck;
  /**
   * It need not be said again: it says itself that it holds on (never, without asking, "I did not say ..."), it is about which program
   * or tool to use, or it is why a call was denied.
   */
  holdsOn: boolean;
  /** It was said of lines that went; left out: of none. */
  isTakenBack?: true;
}

/** What agents use here, by which a word is a command and no name. */
export interface Used {
  isProgram: (word: string) => boolean;
  /** The command by which most of what has such a name is run: `npm run dev`; null: none stands out. */
  findCommand: (named: RegExp) => string[] | null;
  /** The command that takes an option: `git commit` for `--no-verify`; null: none is known. */
  findOwner: (option: string) => string[] | null;
  /** The commands of a line, as `findCommand` names them. */
  listCommands: (line: string) => string[][];
  /** What agents run here though it does the same as this program: `npm` for `pnpm`; null: nothing. */
  findRival: (program: string) => string | null;
  /** Servers of MCP. */
  servers: readonly string[];
}

const sentenceChars = { min: 8, max: 240 } as const;

const joinAlternatives = (rows: readonly string[]): string => `(?:${rows.join("|")})`;

/** What may stand before an order. */
const lead = new RegExp(`^(?:${joinAlternatives(said.leads)}[,.:;!-]*\\s+)*`, "i");
const order = new RegExp(
  `^(?:(?:you|we)\\s+(?:should|must|can|may)?\\s*)?${joinAlternatives(said.orders)}\\s+(?:${joinAlternatives(said.fillers)}\\s+)*`,
  "i",
);
/** It holds on by itself. */
const standing = new RegExp(`\\b${joinAlternatives(said.standing)}\\b`, "i");
/** It is about now, or about how often. */
const momentary = new RegExp(`\\b${joinAlternatives(said.momentary)}\\b`, "i");
/** It is about some cases only, which a call does not show. */
const conditional = new RegExp(`^${joinAlternatives(said.conditions)}`, "i");
/** What is told of how things are, quoted, or asked. */
const noOrder = new RegExp(`^${joinAlternatives(said.noOrders)}|https?:`);
/** A question that asks for something. */
const request = new RegExp(`^${joinAlternatives(said.requests)}\\b`, "i");
/** "without running the tests", "commits that are pushed": a call does not show whether it is so. */
const someOnly = new RegExp(`\\b${joinAlternatives(said.someCases)}`, "i");

/** What an act of git, a tool, or a script that every project has for itself is called in a sentence. */
const begins = (words: string): RegExp => new RegExp(`^(?:${words})`, "i");
const acts = said.acts.map(({ said: words, command }) => ({ said: begins(words), command }));
const tools = said.tools.map(({ said: words, tool }) => ({ said: begins(words), tool }));
const scripts = said.scripts.map(({ said: words, runs }) => ({
  said: begins(words),
  runs: new RegExp(runs),
}));

/** In code, it is one though nobody ran the program here: `supabase db push`. */
const commandLine = new RegExp(
  `^(?!${joinAlternatives(said.keywords)}\\b)[a-z][\\w.-]*(?: (?:--?[a-z][\\w-]*|[a-z][\\w:./-]*))+$`,
);
const codeSpan = /^[`"]([^`"\n]{2,60})[`"]/;
const pathWord =
  /^[`"']?((?:[\w.@-]+\/)+[\w.@*-]*|\.env[\w.*]*|[\w-]+\.(?:json|ya?ml|toml|md|lock|sql|go|ts|tsx|js|py|rs|rb|java|kt|swift|c|h|cpp))[`"']?(?=[\s.,;:!)]|$)/;
const changing = new RegExp(
  `^${joinAlternatives(said.changes)}(?:e|ing)?\\s+(?:(?:the|any|anything|files?|in|under|my|our)\\s+)*`,
  "i",
);

/** What a rule is about, and whether it is about which program or tool to use: that holds on. */
interface CheckSubject {
  check: RuleCheck;
  isChoice: boolean;
}

/** @param denied the call that the person denied as they said it */
export function findRulesIn(sentence: string, used: Used, denied: CallToCheck | null = null): RuleSaid[] {
  if (sentence.length < sentenceChars.min || sentence.length > sentenceChars.max || noOrder.test(sentence))
    return [];
  if (/\?\s*$/.test(sentence) && !request.test(sentence.replace(lead, ""))) return [];
  const isStanding = standing.test(sentence);
  if (momentary.test(sentence) && !isStanding) return [];
  if (conditional.test(sentence.replace(lead, ""))) return [];
  const clauses = splitClauses(sentence);
  const findTail = (clause: string): string => sentence.slice(sentence.indexOf(clause) + clause.length);
  const found = [
    ...clauses.flatMap((clause) => [
      findForbidden(clause, findTail(clause), used),
      findReplaced(clause, used),
    ]),
    findReplaced(sentence, used),
  ].flatMap((one) => one ?? []);
  if (found.length === 0) found.push(...clauses.flatMap((clause) => findWanted(clause, used) ?? []));
  if (found.length === 0 && denied !== null) {
    const check = findDenied(clauses[0] ?? "", denied, used);
    if (check !== null) found.push({ check, isChoice: true });
  }
  const checks = new Map(found.map((one) => [JSON.stringify(one.check), one]));
  return [...checks.values()].map(({ check, isChoice }) => ({
    text: sentence,
    check,
    holdsOn: isStanding || isChoice,
  }));
}

/** What a person says that they do not want, by its name in code. */
interface Refused {
  text: string;
  name: string;
  /** They have taken it out themselves. */
  isDone: boolean;
}

const codeName = "[`\"']?([A-Za-z_$][\\w$]*(?:(?:\\.|::?)[\\w$]+)*)(?:\\(\\))?[`\"']?(?![\\w/-]|\\.\\w)";
const nameAfter = (rows: readonly string[]): RegExp =>
  new RegExp(
    `\\b${joinAlternatives(rows)}(?:${joinAlternatives(said.refused.articles)}\\s+)*${codeName}`,
    "i",
  );
const refusals = [
  { named: nameAfter(said.refused.using), needsReason: false, isDone: false },
  { named: nameAfter(said.refused.done), needsReason: true, isDone: true },
  { named: nameAfter(said.refused.gone), needsReason: true, isDone: false },
] as const;
const reason = new RegExp(`\\b${joinAlternatives(said.refused.reasons)}\\b`, "i");
/** "in session.go", "in the handler": a check does not know where that is. */
const somewhere =
  /\b(?:in|from|of|at|on) (?:the |this |that |our |my )?[`"']?(?!(?:general|future|favou?r|tests?)\b)[\w./-]*[./][\w-]+|\bhere\b|\bline \d/i;

/** The names of code that the sentences of a prompt refuse; one to a sentence. */
export const cutRefused = (prompt: string): Refused[] =>
  [...splitSentences(prompt)].flatMap((sentence) => {
    const isSentence = sentence.length >= sentenceChars.min && sentence.length <= sentenceChars.max;
    if (!isSentence || noOrder.test(sentence) || momentary.test(sentence)) return [];
    if (/\?\s*$/.test(sentence) && !request.test(sentence.replace(lead, ""))) return [];
    for (const { named, needsReason, isDone } of refusals) {
      const found = named.exec(sentence);
      const name = found?.[1];
      if (found === null || name === undefined || !isTellingName(name)) continue;
      const tail = sentence.slice(found.index + found[0].length);
      if (somewhere.test(tail) || (needsReason && !reason.test(tail))) continue;
      return [{ text: sentence, name, isDone }];
    }
    return [];
  });

/** A word of every day is in too many texts. */
const isTellingName = (name: string): boolean =>
  name.length >= 4 && /[._:]|[a-z][A-Z]|[A-Z][a-z]+[A-Z]/.test(name);

/** It says why, or that it is for good: then once is enough. */
export const isForAll = (sentence: string): boolean => standing.test(sentence) || reason.test(sentence);

/** An order begins a sentence, or follows "but", "and", a comma. */
const splitClauses = (sentence: string): string[] =>
  sentence
    .split(
      /[,;:]\s+|\s+-\s+|\s+(?=(?:but|and|so)\s+(?:please\s+)?(?:do not|don['’]?t|dont|never|stop|no need|use)\b)/i,
    )
    .map((clause) => clause.trim());

/** @param tail what follows in the sentence */
function findForbidden(clause: string, tail: string, used: Used): CheckSubject | null {
  const told = clause.replace(lead, "");
  const [ordered] = order.exec(told) ?? [];
  if (ordered === undefined)
    return /^(?:more )?co-?author/i.test(told) && /\bno\b/i.test(clause)
      ? { check: coAuthor, isChoice: true }
      : null;
  const rest = told.slice(ordered.length);
  const isUse = /\b(?:use|using)\s+(?:(?:any|a|the)\s+)*$/i.test(ordered);
  const isRun = /\b(?:run|running)\s+(?:(?:any|a|the)\s+)*$/i.test(ordered);
  const [, span] = codeSpan.exec(rest) ?? [];
  const [option] = /^--[a-z][\w-]+/.exec(span ?? rest) ?? [];
  if (option !== undefined) return toChoice(used.findOwner(option), option);
  if (span !== undefined) {
    const isLine = isRun || (isUse && commandLine.test(span));
    const check = someOnly.test(rest) ? null : readSpan(span, (word) => isLine || used.isProgram(word));
    return check && { check, isChoice: isUse };
  }
  return (
    findMade(rest) ??
    findAct(rest, tail) ??
    findTool(rest, isUse, used) ??
    findChanged(rest) ??
    findThing(ordered, rest, used) ??
    findProgram(ordered, rest, used)
  );
}

const toChoice = (words: string[] | null, option: string): CheckSubject | null =>
  words && { check: { kind: "command", words: [...new Set([...words, option])] }, isChoice: true };

const coAuthor: RuleCheck = { kind: "added", text: "Co-Authored-By" };

const toBranch = new RegExp(
  ` (?:to|on|onto|into|against) (?:the )?[\`"']?(${said.branches.join("|")})\\b`,
  "i",
);

/** What is done with git. */
function findAct(rest: string, tail: string): CheckSubject | null {
  if (/\bco-?author/i.test(rest)) return { check: coAuthor, isChoice: true };
  const act = acts.find((one) => one.said.test(rest));
  if (act === undefined || isOfAFile(rest) || someOnly.test(rest)) return null;
  // "commit: `dist/`", "commit, merge, or ship code with failing tests"
  if (tail.startsWith(":") || (/^, \w+(?:,| or | and )/.test(tail) && someOnly.test(tail))) return null;
  // "to main" is a part of what is forbidden; on which branch a commit will be, a call does not say.
  const [, branch] = toBranch.exec(rest) ?? [];
  if (branch === undefined && / against\b/.test(rest)) return null;
  const { command } = act;
  const onBranch = command[0] === "git" ? ["git", "push", ...command.slice(2)] : command;
  const words = branch === undefined ? command : [...onBranch, branch.toLowerCase()];
  return { check: { kind: "command", words }, isChoice: false };
}

const making = `${joinAlternatives(said.makes)}(?:e|ing)?\\s+`;
const nothingMore = String.raw`(?=\s*(?:$|[.,!](?:\s|$)|(?:as|unless|any ?more)\b))`;
/** "any more MD files", "create summary documents": documents that nobody asked for. */
const documents = new RegExp(
  [
    `^(?:${making})?(?:(?:any|a|more|new|extra|so many|these|unnecessary|random|another|separate|additional)\\s+)*(?:(?:md|markdown|\\.md|summary|documentation)\\s+)+(?:files?|docs?|documents?)\\b`,
    `^${making}(?:(?:any|a|more|new|extra|another)\\s+)*(?:mds?|markdowns?|readmes?)${nothingMore}`,
    `^(?:more\\s+)?(?:mds?|markdowns?)${nothingMore}`,
  ].join("|"),
  "i",
);

/** "create `agent.md`" */
const makingOne = new RegExp(`^${making}(?:(?:any|a|an|new|the)\\s+)*`, "i");

function findMade(rest: string): CheckSubject | null {
  const [made] = makingOne.exec(rest) ?? [];
  const path = made === undefined ? undefined : pathWord.exec(rest.slice(made.length))?.[1];
  const glob = documents.test(rest) ? "*.md" : path;
  return glob === undefined || !isPlainGlob(glob)
    ? null
    : { check: { ...makePathCheck(glob), kind: "created" }, isChoice: false };
}

function findTool(rest: string, isUse: boolean, { servers }: Used): CheckSubject | null {
  const known = tools.find((one) => one.said.test(rest));
  if (known !== undefined) return { check: { kind: "tool", name: known.tool }, isChoice: false };
  // "playwright", "the playwright MCP": a server by its name.
  const server = servers.find((one) => findNamesOfTool(`mcp__${one}__*`).exec(rest)?.index === 0);
  return isUse && server !== undefined
    ? { check: { kind: "tool", name: `mcp__${server}__*` }, isChoice: true }
    : null;
}

function findChanged(rest: string): CheckSubject | null {
  const [changed] = changing.exec(rest) ?? [];
  if (changed === undefined) return null;
  const named = rest.slice(changed.length);
  const [, folder] = /^[`"']?([\w.-]+)[`"']? (?:folder|directory|dir)\b/i.exec(named) ?? [];
  const path = folder === undefined ? pathWord.exec(named)?.[1] : `**/${folder}/`;
  if (path === undefined || !isPlainGlob(path)) return null;
  const isDeletion = /^(?:delet|remov)/i.test(rest);
  if (isDeletion && folder !== undefined) return null;
  const check: RuleCheck = isDeletion ? { kind: "command", words: ["rm", path] } : makePathCheck(path);
  return { check, isChoice: false };
}

function findThing(ordered: string, rest: string, { findCommand }: Used): CheckSubject | null {
  const [started = ""] =
    /^(?:re)?(?:start|launch|run)(?:ing)?\s+(?:(?:the|a|any|another|your own|my)\s+)*/i.exec(rest) ?? [];
  if (started === "" && !/\brun(?:ning)?\s+(?:(?:the|a|any)\s+)*$/i.test(ordered)) return null;
  const named = scripts.find((one) => one.said.test(rest.slice(started.length)));
  const words = named === undefined ? null : findCommand(named.runs);
  return words && { check: { kind: "command", words }, isChoice: false };
}

/** What may follow a program that is meant itself: "git submodules" is no git. */
const behindProgram = new RegExp(`^\\s*(?:$|[.,;!)]|${joinAlternatives(said.afterProgram)}\\b)`, "i");

function findProgram(ordered: string, rest: string, { isProgram }: Used): CheckSubject | null {
  const [whole = "", program = ""] = /^([a-z][\w-]*)/.exec(rest) ?? [];
  const names = /\b(use|using|run|running)\s+(?:(?:any|a|the)\s+)*$/i.exec(ordered);
  if (names === null || !isProgram(program) || !behindProgram.test(rest.slice(whole.length))) return null;
  return { check: { kind: "command", words: [program] }, isChoice: /^us/i.test(names[1]!) };
}

/** Why a call was denied, if it was for what it is: "don't run CI, it is slow". */
function findDenied(clause: string, { command }: CallToCheck, used: Used): RuleCheck | null {
  const told = clause.replace(lead, "");
  const [ordered] = order.exec(told) ?? [];
  const rest = ordered === undefined ? "" : told.slice(ordered.length);
  // "don't check this in" is about this one.
  if (rest === "" || /\b(?:this|that|these|those|it|them|worry|need)\b/i.test(rest)) return null;
  const said = new Set(rest.toLowerCase().match(/[a-z][a-z0-9]+/g) ?? []);
  const meant = used
    .listCommands(command)
    .filter((words) =>
      words.some((word) => (word.match(/[a-z][a-z0-9]+/g) ?? []).some((part) => said.has(part))),
    );
  return meant.length === 1 ? { kind: "command", words: meant[0]! } : null;
}

/** "don't commit the file", "don't commit its contents": what is committed is the matter, not that. */
const isOfAFile = (rest: string): boolean => ofAFile.test(rest);
const ofAFile = new RegExp(
  `^(?:commit|push|stash)\\w*\\s+(?!${joinAlternatives(said.afterCommit)})[\\w\`".]`,
  "i",
);

const programWord = /^[a-z][\w.-]*$/;

function readSpan(span: string, isProgram: (word: string) => boolean): RuleCheck | null {
  const words = span.trim().split(/\s+/);
  const [program = ""] = words;
  if (programWord.test(program) && isProgram(program)) return { kind: "command", words };
  if (pathWord.test(span)) return null;
  // A short word is in too many texts.
  return words.length === 1 &&
    /^[\w.$:]+(?:\(\))?$/.test(span) &&
    span.length >= 4 &&
    /[._(]|[A-Z][a-z]|[a-z][A-Z]/.test(span)
    ? { kind: "added", text: span.replace(/\(\)$/, "(") }
    : null;
}

/** "use pnpm instead of npm", "we should use `git mv` instead of plain mv" */
const replaced =
  /^(?:(?:can|could|would) (?:you|we) |(?:you|we|i)(?:['’]d| would| should| must| need to| have to| want you to)? |(?:this|the|our) (?:project|repo(?:sitory)?|code ?base|app) |always |please |probably |just |rather |prefer to |let['’]?s )*(?:uses?|using|run|running|prefer)\s+([`"]?)([\w./ -]{2,40}?)\1\s*,?\s+(?:instead of|not|rather than|over|and not)\s+(?:(?:using|running|use|run|purely|just|plain|bare|the|a)\s+)*([`"]?)([\w./-]+(?: [\w./-]+){0,2}?)\3(?=[\s.,;!?)]|$)/i;

/** "always use pnpm", "I told you: pnpm": what agents run in its place is not to be run. */
function findWanted(clause: string, { findRival }: Used): CheckSubject | null {
  const [, program] =
    /^(?:(?:you|we|i) (?:must |should |have to )?)?(?:always )?(?:use )?[`"]?([a-z][\w-]*)[`"]?[.!]*$/i.exec(
      clause.replace(lead, ""),
    ) ?? [];
  const rival = program === undefined ? null : findRival(program.toLowerCase());
  return rival === null ? null : { check: { kind: "command", words: [rival] }, isChoice: false };
}

function findReplaced(clause: string, { isProgram }: Used): CheckSubject | null {
  const [, quote, own = "", otherQuote, other = ""] = replaced.exec(clause.replace(lead, "")) ?? [];
  const [program = ""] = other.split(" ");
  const isMeant =
    programWord.test(program) &&
    (isProgram(program) || (otherQuote === "`" && commandLine.test(other))) &&
    (quote === "`" || isProgram(own.trim().split(" ")[0] ?? ""));
  return isMeant && own.trim() !== other
    ? { check: { kind: "command", words: other.split(" ") }, isChoice: true }
    : null;
}

/** More wildcards take long to be compared with a long path, and a hook has no time. */
const maxWildcards = 3;

export const isPlainGlob = (glob: string): boolean => (glob.match(/\*+/g) ?? []).length <= maxWildcards;

/** As of a path that was named: a directory is all that is in it. */
export function makePathCheck(named: string): Extract<RuleCheck, { kind: "path" }> {
  const glob = named.replace(/^\.\//, "").replace(/\/+$/, "/**");
  const pattern = escapeRegExp(glob).replace(/\\\*\\\*(?:\\\/)?|\\\*|\\\?/g, (found) =>
    found.startsWith("\\*\\*") ? ".*" : found === "\\*" ? "[^/]*" : "[^/]",
  );
  // A name alone is that file anywhere.
  return { kind: "path", glob, pattern: glob.includes("/") ? `^${pattern}$` : `(?:^|/)${pattern}$` };
}
