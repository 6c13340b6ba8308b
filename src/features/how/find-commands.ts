import { entry } from "../../base/multimap.ts";
import { isoTime } from "../../base/text/iso-time.ts";
import { stopWords, tokensOf } from "../../base/text/tokens.ts";
import { stepsOf } from "../../sessions/commands/steps.ts";
import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { HowAnswer, WorkingCommand } from "./operation.ts";

export interface HowRequest {
  q: string;
  limit: number;
  /** Only what was known then. Milliseconds; null: everything. */
  until?: number | null;
}

/** Runs that do the same thing in the same place. */
interface Form {
  name: string;
  worked: CommandRecord[];
  failed: CommandRecord[];
}

/** The share of a question's words, by how rare they are, that an answer has to cover. */
const minCovered = { found: 0.7, maybe: 0.45 } as const;
/** How much a word counts where it stands: what the agent says a run is for is less sure than what it ran. */
const weights = { name: 1, form: 0.85, purpose: 0.7, line: 0.5 } as const;
const maxFailedBefore = 2;
/** Only so many runs are looked at, the latest. */
const maxRuns = 20_000;

/** How this project really runs something: the command lines that worked, best first. */
export function howTo(memory: Memory, { q, limit, until = null }: HowRequest): HowAnswer {
  const forms = formsOf(listCommands(memory, { until, limit: maxRuns }));
  const asked = stepsOf(q.trim()).at(-1);
  const same = asked === undefined ? [] : forms.filter(({ name }) => name === asked.name);
  const ranked = asked !== undefined && same.length > 0 ? byForm(same, asked.form) : byWords(forms, q);
  const [best] = ranked;
  if (best === undefined || best.covered < minCovered.maybe) return { verdict: "none", commands: [] };
  const verdict = best.covered >= minCovered.found ? "found" : "maybe";
  const commands = ranked
    .filter(({ covered }) => covered >= minCovered[verdict])
    .slice(0, limit)
    .map(({ form }) => described(memory, form));
  return { verdict, commands };
}

/** Those that worked at least once; the runs of each the latest first. */
function formsOf(runs: readonly CommandRecord[]): Form[] {
  const forms = new Map<string, Form>();
  for (const run of runs) {
    const key = `${run.directory}\0${run.form}`;
    const form = entry(forms, key, () => ({ name: run.name, worked: [], failed: [] }));
    if (run.outcome === "worked") form.worked.push(run);
    else if (run.outcome === "failed") form.failed.push(run);
  }
  return [...forms.values()].filter(({ worked }) => worked.length > 0);
}

interface Ranked {
  form: Form;
  /** 0 to 1. */
  covered: number;
  score: number;
}

/** What is run often, and was lately, is how it is done. */
const habit = ({ worked }: Form) => 1 + 0.25 * Math.log2(1 + worked.length);

const byScore = (ranked: Ranked[]) =>
  ranked.sort((a, b) => b.score - a.score || (b.form.worked[0]!.at ?? 0) - (a.form.worked[0]!.at ?? 0));

/** For a command line: runs of the same program, those with the same words first. */
function byForm(forms: readonly Form[], asked: string): Ranked[] {
  const words = new Set(asked.split(" "));
  return byScore(
    forms.map((form) => {
      const own = new Set(form.worked[0]!.form.split(" "));
      const common = [...words].filter((word) => own.has(word)).length;
      const likeness = common / (words.size + own.size - common);
      return { form, covered: 1, score: (0.5 + likeness) * habit(form) };
    }),
  );
}

/** For a description: runs that its words speak of. */
function byWords(forms: readonly Form[], q: string): Ranked[] {
  const words = [...new Set(tokensOf(q))].filter((word) => !stopWords.has(word) && !asksHow.has(word));
  if (words.length === 0) return [];
  const texts = forms.map((form) => ({ form, weightOf: weighted(form) }));
  const rarity = new Map(
    words.map((word) => {
      const having = texts.filter(({ weightOf }) => weightOf(word) > 0).length;
      return [word, Math.log(1 + (forms.length + 1) / (having + 0.5))] as const;
    }),
  );
  const whole = [...rarity.values()].reduce((sum, each) => sum + each, 0);
  return byScore(
    texts.map(({ form, weightOf }) => {
      const covered = words.reduce((sum, word) => sum + rarity.get(word)! * weightOf(word), 0) / whole;
      return { form, covered, score: covered ** 2 * habit(form) };
    }),
  );
}

/** Words that ask, and say nothing of what. */
const asksHow = new Set(["run", "how", "command", "execut", "start", "project", "here", "us", "do", "one"]);

function weighted({ name, worked }: Form): (word: string) => number {
  const [latest] = worked;
  const named = new Set(tokensOf(name));
  const formed = new Set(tokensOf(latest!.form));
  const lined = new Set(tokensOf(`${latest!.line} ${latest!.directory}`));
  const some = worked.slice(0, 20);
  const purposes = new Map<string, number>();
  for (const { purpose } of some)
    for (const word of new Set(tokensOf(purpose))) purposes.set(word, (purposes.get(word) ?? 0) + 1);
  return (word) => {
    if (named.has(word) || [...named].some((token) => begins(token, word))) return weights.name;
    if (formed.has(word)) return weights.form;
    const share = (purposes.get(word) ?? 0) / some.length;
    return Math.max(
      share >= 0.25 ? weights.purpose : share > 0 ? weights.line : 0,
      lined.has(word) ? weights.line : 0,
    );
  };
}

/** `lint` and `linter`, `dup` and `duplicated`. */
const begins = (token: string, word: string) =>
  (token.length >= 3 && word.startsWith(token)) || (word.length >= 4 && token.startsWith(word));

function described(memory: Memory, { worked, failed }: Form): WorkingCommand {
  const latest = worked[0]!;
  const times = worked.flatMap(({ tookMs }) => tookMs ?? []).sort((a, b) => a - b);
  return {
    line: latest.line,
    directory: latest.directory,
    purpose: latest.purpose,
    worked: worked.length,
    failed: failed.length,
    last_at: isoTime(latest.at),
    agent: latest.agent,
    session_id: latest.sessionUid,
    author: latest.author,
    turn: latest.turn,
    took_ms: times[times.length >> 1] ?? null,
    failed_before: failedBefore(memory, worked),
  };
}

/** What was tried in the same session right before: runs of the same program in another form. */
function failedBefore(memory: Memory, worked: readonly CommandRecord[]): WorkingCommand["failed_before"] {
  const found = new Map<string, WorkingCommand["failed_before"][number]>();
  for (const run of worked.slice(0, 10)) {
    const runs = listCommands(memory, { names: [run.name], sessionId: run.sessionId })
      .filter(({ seq, step }) => seq < run.seq || (seq === run.seq && step < run.step))
      .slice(0, 2);
    for (const { outcome, form, line, error, sessionUid, turn, at } of runs) {
      if (outcome !== "failed" || form === run.form) break;
      const before = { line, error: error ?? "", session_id: sessionUid, turn, timestamp: isoTime(at) };
      if (!found.has(form)) found.set(form, before);
    }
  }
  return [...found.values()].slice(0, maxFailedBefore);
}
