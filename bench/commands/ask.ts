import { estimateTokens } from "../../src/base/text/text-size.ts";
import { findFailureInjections } from "../../src/features/context/for-failure.ts";
import { findWorkingCommands } from "../../src/features/how/find-commands.ts";
import { findFixes } from "../../src/sessions/fixes/find-fixes.ts";
import { createRelativizer } from "../../src/sessions/relative-paths.ts";
import { readStoredTurns } from "../../src/sessions/turn-content.ts";
import type { CommandRecord } from "../../src/store/memory/commands.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import { findSessionById } from "../../src/store/memory/sessions/sessions.ts";

interface Replayed {
  sessionId: number;
  error: string;
  /** null: nothing was said. */
  said: string | null;
  tokens: number;
  /** The session then edited a file that the fix edited, or ran a command of it. */
  isRight: boolean;
  /** Something was known that would have been right. */
  isKnown: boolean;
}

/** So many commands on a session is about something else. */
const maxLater = 15;

/** Every failure in the order of time, with what would have been said to the agent by a memory that knew only what was before. */
export function replayFailures(memory: Memory, root: string, runs: readonly CommandRecord[]): Replayed[] {
  const formOf = new Map(runs.map(({ line, form }) => [line, form]));
  const told = new Set<string>();
  const edited = new Map<number, { seq: number; path: string }[]>();
  return runs
    .filter(({ outcome }) => outcome === "failed")
    .map((failure): Replayed => {
      const { sessionId, sessionUid, seq, name, form, at } = failure;
      const error = failure.error ?? "";
      const later = runs.filter((run) => run.sessionId === sessionId && run.seq > seq);
      const end = later.find((run) => run.name === name && run.outcome === "worked") ?? later[maxLater];
      if (!edited.has(sessionId)) edited.set(sessionId, editsOf(memory, root, sessionId));
      const isBefore = (one: { seq: number }) => end === undefined || one.seq <= end.seq;
      const paths = new Set(
        edited
          .get(sessionId)!
          .filter((one) => one.seq > seq && isBefore(one))
          .map(({ path }) => path),
      );
      const forms = new Set(later.filter(isBefore).map((run) => run.form));
      const source = { root, worktrees: [], memory, until: at, origin: null };
      const { errors } = findFixes([root], memory, {
        error,
        limit: 3,
        until: at,
        leaves: (uid) => uid === sessionUid,
      });
      const helps = ({ fix }: (typeof errors)[number]) =>
        fix !== null &&
        (fix.edits.some(({ path }) => paths.has(path)) ||
          fix.commands.some((line) => formOf.get(line) !== form && forms.has(formOf.get(line) ?? "")));
      const [injection] = findFailureInjections(source, { sessionUid, error }).filter(({ ref }) => {
        const isNew = !told.has(`${sessionId} ${ref}`);
        told.add(`${sessionId} ${ref}`);
        return isNew;
      });
      const said = injection === undefined ? null : injection.quote;
      const known = errors.find(
        (one) => injection?.ref === `fix:${one.session_id}:${one.turn}:${one.fix?.turn}`,
      );
      return {
        sessionId,
        error,
        said,
        tokens: said === null ? 0 : estimateTokens(`${said} ${injection!.place}`),
        isRight: known !== undefined && helps(known),
        isKnown: errors.some(helps),
      };
    });
}

function editsOf(memory: Memory, root: string, sessionId: number): { seq: number; path: string }[] {
  const relativize = createRelativizer({
    root,
    worktrees: [],
    cwd: findSessionById(memory, sessionId)?.cwd ?? "",
  });
  const edits: { seq: number; path: string }[] = [];
  for (const { lines } of readStoredTurns(memory, sessionId))
    for (const { seq, entries } of lines)
      for (const entry of entries)
        if (entry.kind === "tool_use")
          for (const { path, how } of entry.files)
            if (how !== "read") edits.push({ seq, path: relativize(path) });
  return edits;
}

export interface Asked {
  kind: string;
  sessionId: number;
  question: string;
  answer: string;
  isRight: boolean;
}

/** Programs of other projects: words and command lines that nothing here answers, unless it was run here. */
const foreign = [
  "cargo test",
  "npm run dev",
  "pytest -q",
  "docker compose up",
  "kubectl apply -f x",
  "terraform plan",
  "mvn verify",
  "bundle exec rspec",
  "php artisan migrate",
  "mix test",
  "dotnet build",
  "gradle assemble",
  "poetry install",
  "flutter run",
  "swift build",
  "sbt compile",
  "cabal build",
  "rails server",
  "yarn storybook",
  "pnpm release",
  "deploy to kubernetes",
  "database migration",
  "train the model",
  "start the emulator",
  "publish to npm",
  "compile the fonts",
  "render the video",
  "seed the database",
  "open the notebook",
  "sign the apk",
  "flash the board",
  "build the wasm bundle",
  "load testing",
  "translate the strings",
  "generate thumbnails",
  "encrypt the backup",
];

/** The program, and where it ran. */
const sameThing = (a: CommandRecord, b: CommandRecord) => a.name === b.name && a.directory === b.directory;

/**
 * A command that failed, and the next run of the same program in a later session that worked, before which it is asked; with
 * the line, and with what the agent said that it was for. And what nobody ever ran.
 */
export function askHow(memory: Memory, runs: readonly CommandRecord[]): Asked[] {
  const byLine = new Map(runs.map((run) => [`${run.directory}\0${run.line}`, run]));
  const asked: Asked[] = [];
  const seen = new Set<string>();
  for (const failure of runs) {
    if (failure.outcome !== "failed") continue;
    const { sessionId, at, name, line, purpose, form } = failure;
    const next = runs.find(
      (run) => run.at! > at! && run.sessionId !== sessionId && run.name === name && run.outcome === "worked",
    );
    if (next === undefined || seen.has(`${line}\0${next.id}`)) continue;
    seen.add(`${line}\0${next.id}`);
    const knew = runs.some((run) => run.at! < next.at! && sameThing(run, next) && run.outcome === "worked");
    if (!knew) continue;
    const ask = (q: string) => {
      const { commands } = findWorkingCommands(memory, { q, limit: 3, until: next.at! });
      return commands.flatMap((one) => byLine.get(`${one.directory}\0${one.line}`) ?? []);
    };
    const add = (
      kind: string,
      question: string,
      answers: CommandRecord[],
      isRight: (run: CommandRecord) => boolean,
      most = 1,
    ) =>
      asked.push({
        kind,
        sessionId,
        question: `${question} (then worked: ${next.line})`,
        answer: answers[0]?.line ?? "nothing",
        isRight: answers.slice(0, most).some(isRight),
      });
    const byLineAnswers = ask(line);
    add("how LINE: the program and directory, first", line, byLineAnswers, (run) => sameThing(run, next));
    // A form that failed here and works in general is no wrong answer: its test failed, not the command.
    const worksLater = runs.some((run) => run.form === form && run.outcome === "worked" && run.at! > at!);
    const isForm = (run: CommandRecord) => run.form === next.form || (worksLater && run.form === form);
    add("how LINE: the form that then worked, first", line, byLineAnswers, (run) => run.form === next.form);
    add("how LINE: that or the asked one, if it works, first", line, byLineAnswers, isForm);
    add(
      "how LINE: the form that then worked, of three",
      line,
      byLineAnswers,
      (run) => run.form === next.form,
      3,
    );
    if (purpose === "") continue;
    const described = ask(purpose);
    if (described.length > 0)
      add("how PURPOSE, where answered: the program, first", purpose, described, (run) => run.name === name);
  }
  const ran = new Set(runs.map((run) => run.name));
  foreign.forEach((q) => {
    const { verdict, commands } = findWorkingCommands(memory, { q, limit: 1 });
    const answer = commands[0]?.line ?? "nothing";
    const isRight = verdict !== "found" || ran.has(q);
    asked.push({ kind: "how: silent on what never ran", sessionId: 0, question: q, answer, isRight });
  });
  return asked;
}

/** What a test runner says of a package, a task or a duration, and what a program logs: no error. */
const saysNothing = /task failed|ok\s|^#|\[(?:build|setup) failed\]|\s[\d.]+s$|^FAIL\b|^0\/0\/0|^Expected '/i;

/** Lines as they stand, but for numbers, hashes and paths: the same error has one in common. Not what `pm fix` compares. */
const rawLines = (error: string | null) =>
  (error ?? "")
    .split("\n")
    .map((line) =>
      line
        .replace(/\d+/g, "0")
        .trim()
        .replace(/^[\w./-]+:0(?::0)?: /, "")
        .replace(/\b[\da-f]{7,}\b/g, "#")
        .replace(/\S*\/\S*/g, "PATH"),
    )
    .filter((line) => line.length >= 20 && !saysNothing.test(line));

/** An error that has a line in common with one of an earlier session, asked when it is met; and those that have none. */
export function askFix(memory: Memory, runs: readonly CommandRecord[]): Asked[] {
  const asked: Asked[] = [];
  const met = new Map<string, Set<number>>();
  for (const { outcome, error, sessionId, at } of runs) {
    if (outcome !== "failed") continue;
    const lines = rawLines(error);
    const others = lines.filter((line) => [...(met.get(line) ?? [])].some((id) => id !== sessionId));
    const { verdict, errors } = findFixes([""], memory, { error: error ?? "", limit: 1, until: at });
    const answered = rawLines(errors[0]?.error ?? null);
    const about = { sessionId, question: error ?? "", answer: errors[0]?.error ?? "nothing" };
    if (others.length > 0) {
      asked.push({
        kind: "fix: the same error, first",
        ...about,
        isRight: others.some((line) => answered.includes(line)),
      });
    } else if (lines.length > 0 && !lines.some((line) => met.has(line))) {
      asked.push({
        kind: "fix: silent on an error without a line in common",
        ...about,
        isRight: verdict !== "found",
      });
    }
    for (const line of lines) met.set(line, (met.get(line) ?? new Set()).add(sessionId));
  }
  return asked;
}
