import { getOrCreate } from "../../base/multimap.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { createWordFinder, noWords, stopWords, tokenize, type WordFinder } from "../../base/text/tokens.ts";
import { parseSteps } from "../../sessions/commands/steps.ts";
import { type CommandTask, findTask, tasks } from "../../sessions/commands/tasks.ts";
import { isUsageError } from "../../sessions/commands/usage-errors.ts";
import { type CommandRecord, listCommands, listRuns, type RunSummary } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { readPromptsOfTurns } from "../../store/memory/sessions/turn-lookup.ts";
import type { HowAnswer, WorkingCommand } from "./operation.ts";
import type { ProjectScript } from "./project-scripts.ts";
import { computeTypicalMs } from "./typical-time.ts";

export interface HowRequest {
  /** Left out: what any project is asked for. */
  q?: string | undefined;
  limit: number;
  /** Only what was known then. Milliseconds; null: everything. */
  until?: number | null;
  /** What the project's files define. */
  scripts?: readonly ProjectScript[];
}

/** Runs that do the same thing in the same place. */
interface Form {
  name: string;
  worked: RunSummary[];
  failed: RunSummary[];
}

/** The share of a question's words, by how rare they are, that an answer has to cover. */
const minCovered = { found: 0.7, maybe: 0.45 } as const;
/** How much a word counts where it stands: what the agent says a run is for is less sure than what it ran. */
const weights = { name: 1, form: 0.85, purpose: 0.7, line: 0.5, trial: 0.2 } as const;
const maxFailedBefore = 2;
/** Only so many runs are looked at, the latest. */
const maxRuns = 20_000;

/**
 * How this project really runs something: the command lines that worked, best first. Without a question the one that is
 * used for each of the things that any project is asked for.
 */
export function findWorkingCommands(
  memory: Memory,
  { q = "", limit, until = null, scripts = [] }: HowRequest,
): HowAnswer {
  const forms = groupForms(listRuns(memory, { until, limit: maxRuns }));
  if (q.trim() === "") return buildCheatSheet(memory, forms, scripts);
  const asked = parseSteps(q.trim()).at(-1);
  const same = asked === undefined ? [] : forms.filter(({ name }) => name === asked.name);
  const ranked =
    asked !== undefined && same.length > 0
      ? rankByForm(same, asked.form)
      : rankByWords(memory, forms, scripts, q);
  const [best] = ranked;
  const verdict =
    best === undefined || best.covered < minCovered.maybe
      ? "none"
      : best.covered >= minCovered.found
        ? "found"
        : "maybe";
  const commands =
    verdict === "none"
      ? []
      : ranked
          .filter(({ covered }) => covered >= minCovered[verdict])
          .slice(0, limit)
          .map(({ form }) => toWorkingCommand(memory, form));
  const defined = listNeverRun(forms, scripts, q).slice(0, limit);
  return {
    verdict: verdict === "none" && defined.length > 0 ? "maybe" : verdict,
    commands,
    scripts: defined,
  };
}

/** The form that most sessions ran for each task, the latest of equal ones; for the others what the files define. */
function buildCheatSheet(
  memory: Memory,
  forms: readonly Form[],
  scripts: readonly ProjectScript[],
): HowAnswer {
  const best = new Map<CommandTask, { form: Form; worth: number }>();
  const defined = collectScriptWords(scripts);
  for (const form of forms) {
    const latest = form.worked[0]!;
    if (isElsewhere(latest.directory) || onElsewhere.test(latest.line)) continue;
    const task = findTask(toShape(latest.line));
    if (task === null) continue;
    const sessions = new Set(form.worked.map(({ sessionId }) => sessionId)).size;
    // What the project itself defines is how it is meant to be done.
    const worth = sessions * (defined.has(form.name) ? meantToBe : 1) + (latest.at ?? 0) / 1e15;
    if (worth > (best.get(task)?.worth ?? 0)) best.set(task, { form, worth });
  }
  const commands = tasks.flatMap((task) => {
    const found = best.get(task);
    return found === undefined ? [] : [{ ...toWorkingCommand(memory, found.form), task }];
  });
  const others = tasks.flatMap((task) => {
    const script = best.has(task) ? undefined : scripts.find(({ line }) => findTask(line) === task);
    return script === undefined ? [] : [definedScript(script, task)];
  });
  const verdict = commands.length > 0 ? "found" : others.length > 0 ? "maybe" : "none";
  return { verdict, commands, scripts: others };
}

const meantToBe = 3;
/** It works on something that lies outside of the project. */
const onElsewhere = /\s["']?(?:\/(?:tmp|private|var|Users|home)\/|~\/|\$)/;
/** A program that somebody put outside of the project, or that was run outside of it. */
const isTrial = ({ line, directory }: RunSummary) =>
  isElsewhere(directory) || /^(?:\w+=\S*\s+)*(?:\/(?:tmp|private|var|Users|home)\/|~\/)/.test(line);
/** Outside of the project: a trial somewhere else. */
const isElsewhere = (directory: string) => /^(?:[/~$]|[A-Za-z]:|\.\.)/.test(directory);

const toShape = (line: string): string => parseSteps(line)[0]?.shape ?? line;

const definedScript = (
  { line, title, file }: ProjectScript,
  task: CommandTask | null,
): HowAnswer["scripts"][number] => ({
  line,
  title,
  file,
  task,
});

/** What the files define for a question, and no agent ran: all of its words stand there. */
function listNeverRun(
  forms: readonly Form[],
  scripts: readonly ProjectScript[],
  q: string,
): HowAnswer["scripts"] {
  const words = listAskedWords(q);
  if (words.length === 0) return [];
  const ran = new Set(forms.map(({ name }) => name));
  return scripts
    .filter(({ line }) => !ran.has(parseSteps(line)[0]?.name ?? line))
    .filter(({ line, title }) => {
      const own = new Set(tokenize(`${line} ${title}`));
      return words.every((word) => own.has(word));
    })
    .map((script) => definedScript(script, findTask(script.line)));
}

/** Those that worked at least once; the runs of each the latest first. */
function groupForms(runs: readonly RunSummary[]): Form[] {
  const forms = new Map<string, Form>();
  for (const run of runs) {
    const key = `${run.directory}\0${run.form}`;
    const form = getOrCreate(forms, key, () => ({ name: run.name, worked: [], failed: [] }));
    if (run.outcome === "worked") form.worked.push(run);
    else if (run.outcome === "failed") form.failed.push(run);
  }
  return [...forms.values()].filter(({ worked }) => worked.length > 0);
}

interface RankedForm {
  form: Form;
  /** 0 to 1. */
  covered: number;
  score: number;
}

/** What is run often, and was lately, is how it is done. */
const weighHabit = ({ worked }: Form) => 1 + 0.25 * Math.log2(1 + worked.length);

const sortByScore = (ranked: RankedForm[]) =>
  ranked.sort((a, b) => b.score - a.score || (b.form.worked[0]!.at ?? 0) - (a.form.worked[0]!.at ?? 0));

/** For a command line: runs of the same program, those with the same words first. */
function rankByForm(forms: readonly Form[], asked: string): RankedForm[] {
  const words = new Set(asked.split(" "));
  return sortByScore(
    forms.map((form) => {
      const own = new Set(form.worked[0]!.form.split(" "));
      const common = [...words].filter((word) => own.has(word)).length;
      const likeness = common / (words.size + own.size - common);
      return { form, covered: 1, score: (0.5 + likeness) * weighHabit(form) };
    }),
  );
}

const listAskedWords = (q: string): string[] =>
  [...new Set(tokenize(q))].filter((word) => !stopWords.has(word) && !asksHow.has(word));

/** For a description: runs that its words speak of. */
function rankByWords(
  memory: Memory,
  forms: readonly Form[],
  scripts: readonly ProjectScript[],
  q: string,
): RankedForm[] {
  const words = listAskedWords(q);
  if (words.length === 0) return [];
  const wordsOfScripts = collectScriptWords(scripts);
  const findAsked = createWordFinder(words);
  const prompts = collectPromptWords(memory, forms, findAsked);
  const texts = forms.map((form) => ({
    form,
    weightOf: makeWordWeights(form, { scripts: wordsOfScripts, promptOf: prompts, findAsked }),
  }));
  const rarity = new Map(
    words.map((word) => {
      const having = texts.filter(({ weightOf }) => weightOf(word) > 0).length;
      return [word, Math.log(1 + (forms.length + 1) / (having + 0.5))] as const;
    }),
  );
  const whole = [...rarity.values()].reduce((sum, each) => sum + each, 0);
  const isOfOne = asksForOne.test(q);
  return sortByScore(
    texts.map(({ form, weightOf }) => {
      const picks = isOfOne && findTask(toShape(form.worked[0]!.line)) === "test one";
      const covered = words.reduce((sum, word) => sum + rarity.get(word)! * weightOf(word), 0) / whole;
      const trial = isTrial(form.worked[0]!) ? weights.trial : 1;
      return { form, covered, score: covered ** 2 * weighHabit(form) * (picks ? 3 : 1) * trial };
    }),
  );
}

const asksForOne = /\b(?:one|a single|single|specific|particular)\b/i;
/** Words that ask, and say nothing of what. */
const asksHow = new Set(
  [
    "run how command execut start project here us do one",
    "single specific particular binary program code",
  ].flatMap((words) => words.split(" ").flatMap(tokenize)),
);

/** What the project's files say of a program, by its name: `mise run lint`. */
interface ScriptWords {
  said: Set<string>;
  body: Set<string>;
}

function collectScriptWords(scripts: readonly ProjectScript[]): Map<string, ScriptWords> {
  const found = new Map<string, ScriptWords>();
  for (const { line, title, body } of scripts) {
    const name = parseSteps(line)[0]?.name;
    if (name === undefined) continue;
    const own = getOrCreate(found, name, () => ({ said: new Set<string>(), body: new Set<string>() }));
    for (const word of tokenize(title)) own.said.add(word);
    for (const word of tokenize(body)) own.body.add(word);
  }
  return found;
}

/** Runs of a form that are read for what was said of it: the latest. */
const runsRead = 20;

/** The words of the prompts that asked for runs, by session and turn. */
function collectPromptWords(
  memory: Memory,
  forms: readonly Form[],
  findAsked: WordFinder,
): (run: RunSummary) => ReadonlySet<string> {
  const toRunKey = (run: { sessionId: number; turn: number }) => `${run.sessionId}:${run.turn}`;
  const asked = new Map<string, Pick<RunSummary, "sessionId" | "turn">>();
  for (const { worked } of forms)
    for (const { sessionId, turn } of worked.slice(0, runsRead))
      asked.set(toRunKey({ sessionId, turn }), { sessionId, turn });
  const words = new Map(
    readPromptsOfTurns(memory, [...asked.values()]).map(
      (one) => [toRunKey(one), findAsked(one.prompt)] as const,
    ),
  );
  return (run) => words.get(toRunKey(run)) ?? noWords;
}

interface WordsOfRuns {
  scripts: ReadonlyMap<string, ScriptWords>;
  promptOf: (run: RunSummary) => ReadonlySet<string>;
  findAsked: WordFinder;
}

function makeWordWeights(
  { name, worked }: Form,
  { scripts, promptOf, findAsked }: WordsOfRuns,
): (word: string) => number {
  const [latest] = worked;
  const named = new Set(tokenize(name));
  const formed = findAsked(latest!.form);
  const lined = findAsked(`${latest!.line} ${latest!.directory}`);
  const script = scripts.get(name);
  const some = worked.slice(0, runsRead);
  const purposes = new Map<string, number>();
  const prompts = new Map<string, number>();
  for (const run of some) {
    for (const word of findAsked(run.purpose)) purposes.set(word, (purposes.get(word) ?? 0) + 1);
    for (const word of promptOf(run)) prompts.set(word, (prompts.get(word) ?? 0) + 1);
  }
  return (word) => {
    if (named.has(word) || [...named].some((token) => hasCommonPrefix(token, word))) return weights.name;
    if (formed.has(word)) return weights.form;
    const purpose = (purposes.get(word) ?? 0) / some.length;
    const prompted = (prompts.get(word) ?? 0) / some.length;
    return Math.max(
      purpose >= 0.25 || script?.said.has(word) ? weights.purpose : purpose > 0 ? weights.line : 0,
      lined.has(word) || script?.body.has(word) || prompted >= 0.5 ? weights.line : 0,
    );
  };
}

/** `lint` and `linter`, `dup` and `duplicated`; `git` is not how gitleaks is run. */
const hasCommonPrefix = (token: string, word: string) =>
  (token.length >= 3 && word.startsWith(token) && word.length - token.length <= 3) ||
  (word.length >= 4 && token.startsWith(word));

function toWorkingCommand(memory: Memory, { worked, failed }: Form): WorkingCommand {
  const [latest] = listCommands(memory, { ids: [worked[0]!.id] }) as [CommandRecord];
  return {
    line: latest.line,
    form: toShape(latest.line),
    task: null,
    directory: latest.directory,
    // What a call of several commands is for is about all of them; it is not timed either.
    purpose: worked.find(({ tookMs }) => tookMs !== null)?.purpose ?? "",
    worked: worked.length,
    failed: failed.length,
    last_at: formatIsoTime(latest.at),
    agent: latest.agent,
    session_id: latest.sessionUid,
    author: latest.author,
    turn: latest.turn,
    took_ms: computeTypicalMs(worked.flatMap(({ tookMs }) => tookMs ?? [])),
    failed_before: listFailedBefore(memory, worked),
  };
}

/** What was tried wrongly in the same session right before: runs of the same program in another form. A test that was red is none. */
function listFailedBefore(memory: Memory, worked: readonly RunSummary[]): WorkingCommand["failed_before"] {
  const found = new Map<string, WorkingCommand["failed_before"][number]>();
  for (const run of worked.slice(0, 10)) {
    const all = listCommands(memory, { names: [run.name], sessionId: run.sessionId });
    const own = all.find(({ id }) => id === run.id);
    const runs = all
      .filter(({ seq, step }) => own !== undefined && (seq < own.seq || (seq === own.seq && step < own.step)))
      .slice(0, 2);
    for (const { outcome, form, line, error, sessionUid, turn, at } of runs) {
      if (outcome !== "failed" || form === run.form) break;
      if (!isUsageError(error ?? "")) continue;
      const before = { line, error: error ?? "", session_id: sessionUid, turn, timestamp: formatIsoTime(at) };
      if (!found.has(form)) found.set(form, before);
    }
  }
  return [...found.values()].slice(0, maxFailedBefore);
}
