/**
 * What agents would have been told before they tried again what had failed, replayed call by call over past sessions.
 *
 *   npm run bench:dead-ends -- --sessions DIR [--memory FILE] [--calls] [--markdown]
 *
 * DIR holds transcripts of one repository; FILE keeps what was imported for the next run. At each call of an agent only what was
 * recorded in earlier turns is known. `--calls` prints every one that is told something, and every repetition, to be read.
 *
 * A warning about a command is right if the call then fails with the same line of error, and wrong if it does not. One about an edit is
 * right if the lines are taken out again in what follows, and wrong if they still stand at the end. A call that was refused or
 * interrupted says neither. Repetitions are found by bench/dead-ends/repetitions.ts, which shares no code with Pommel.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { isSame, readCall } from "../src/features/dead-ends/before-call.ts";
import { findTakenBack } from "../src/features/dead-ends/find-changes.ts";
import { findWrongCalls, rememberedMs } from "../src/features/dead-ends/find-commands.ts";
import { findMissingPaths } from "../src/features/dead-ends/find-paths.ts";
import type { DeadEndTrace } from "../src/features/dead-ends/match.ts";
import { missesPath, pickLooks, readFileEvents } from "../src/features/dead-ends/read-edits.ts";
import { normalizeErrorLine } from "../src/sessions/commands/commands-of-turn.ts";
import { createRelativizer } from "../src/sessions/relative-paths.ts";
import { readStoredTurns } from "../src/sessions/turn-content.ts";
import { Memory } from "../src/store/memory/memory.ts";
import { listSessions } from "../src/store/memory/sessions/sessions.ts";
import { findRepetitions } from "./dead-ends/repetitions.ts";
import { printTable, scratchDir } from "./measure.ts";
import { importSessions } from "./recall/import.ts";

const { values: options } = parseArgs({
  options: {
    sessions: { type: "string" },
    memory: { type: "string" },
    calls: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
  },
});
if (options.sessions === undefined) {
  console.error("usage: npm run bench:dead-ends -- --sessions DIR [options, see bench/dead-ends.ts]");
  process.exit(2);
}
const place = resolve(options.memory ?? join(scratchDir("dead-ends"), "memory.db"));
process.env.POMMEL_HOME = join(scratchDir("dead-ends-home"), "home");
const memory = existsSync(place)
  ? Memory.open(place, { readonly: true })
  : (await importSessions(options.sessions, place)).memory;

interface Warning {
  id: string;
  kind: "command" | "edit";
  /** null: the call was refused or interrupted. */
  isRight: boolean | null;
  what: string;
  because: string;
  session: string;
}

interface Known {
  key: string;
  trace: DeadEndTrace;
  because: string;
  error: string | null;
}

const roots = [options.sessions];
const sessions = listSessions(memory, { remembered: true, children: true }).sort(
  (a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0),
);
const last = Math.max(...sessions.map(({ lastAt }) => lastAt ?? 0));
// All there is, for what becomes of lines; what is known at a time is a part of it.
const events = await readFileEvents(
  memory,
  roots,
  Math.min(...sessions.map(({ startedAt }) => startedAt ?? last)) + rememberedMs,
);

const looks = pickLooks(events);
const warnings: Warning[] = [];
const calls = { command: 0, edit: 0 };
const neither =
  /^(?:The user doesn't want|<tool_use_error>|\[Request interr|Permission to use|Command running in background)/;

for (const session of sessions) {
  const started = session.startedAt ?? 0;
  const changes = findTakenBack(events.filter(({ at }) => at < started && at > started - rememberedMs))
    .filter(({ written, taken }) => written.session.id !== session.id && taken.session.id !== session.id)
    .flatMap(({ traces, taken }) =>
      traces.map(
        (trace): Known => ({
          key: `${trace.path} ${trace.lines[0]}`,
          trace,
          because: `taken back in ${taken.session.uid.slice(0, 8)}:${taken.turn} (${taken.what.kind})`,
          error: null,
        }),
      ),
    );
  const relativize = createRelativizer({ root: options.sessions, worktrees: [], cwd: session.cwd });
  const told = new Set<string>();
  // Within a session what is known changes where a command of an earlier turn failed.
  let isNews = true;
  let commands: Known[] = [];
  for (const turn of readStoredTurns(memory, session.id)) {
    const since = turn.record.startedAt ?? started;
    const results = new Map(
      turn.lines.flatMap(({ entries }) =>
        entries.flatMap((entry) => (entry.kind === "tool_result" ? [[entry.id, entry] as const] : [])),
      ),
    );
    const before = events.filter(({ at }) => at < since && at > since - rememberedMs);
    const paths = findMissingPaths(before).map(
      ({ trace, events: missed }): Known => ({
        key: JSON.stringify(trace),
        trace,
        because: `there was no ${trace.first}/ in ${trace.directory || "the root"}, ${missed.length} times`,
        error: null,
      }),
    );
    for (const { seq, entries, cwd = session.cwd } of turn.lines)
      for (const entry of entries) {
        const result = entry.kind === "tool_use" ? results.get(entry.id) : undefined;
        if (entry.kind !== "tool_use" || result === undefined) continue;
        const call = {
          ...readCall(session.cwd, { input: entry.input, cwd }),
          directory: relativize(`${cwd}/_`).replace(/\/?_$/, ""),
        };
        const file = entry.input.file_path ?? entry.input.filePath ?? entry.input.path;
        const path = call.added.length > 0 && typeof file === "string" ? relativize(file) : null;
        if (call.commands.length === 0 && path === null) continue;
        const kind = path === null ? "command" : "edit";
        calls[kind]++;
        if (isNews) {
          isNews = false;
          commands = findWrongCalls(memory, looks, since).map(({ trace, error, runs }) => ({
            key: JSON.stringify(trace),
            trace,
            because: `failed ${runs.length} times: ${error.trim()}`,
            error,
          }));
        }
        const known = (kind === "edit" ? changes : [...commands, ...paths]).find(
          ({ key, trace }) => !told.has(key) && isSame(trace, { ...call, file: path }),
        );
        if (known === undefined) continue;
        told.add(known.key);
        const text = result.text;
        warnings.push({
          id: entry.id,
          kind,
          isRight: neither.test(text)
            ? null
            : known.trace.kind === "lines"
              ? areGoneAtEnd(known.trace.path, known.trace.lines, session.id, seq)
              : known.trace.kind === "path"
                ? text.split("\n").some((line) => missesPath.test(line))
                : text.split("\n").some((line) => isLikeError(line, known.error!)),
          what: kind === "edit" ? path! : String(entry.input.command).replace(/\s+/g, " ").slice(0, 160),
          because: known.because,
          session: `${session.uid.slice(0, 8)}:${turn.number}`,
        });
      }
    isNews ||= [...results.values()].some(({ isError }) => isError);
  }
}

/** The same line but for what differs from run to run, and for the very word. */
function isLikeError(line: string, error: string): boolean {
  const [one, other] = [normalizeErrorLine(line), normalizeErrorLine(error)];
  return one !== null && one === other;
}

function areGoneAtEnd(path: string, lines: readonly number[], sessionId: number, seq: number): boolean {
  const standing = new Set<number>();
  let isAfter = false;
  for (const { session, seq: at, what } of events) {
    if (session.id === sessionId && at >= seq) isAfter = true;
    if (!isAfter || what.kind !== "edit" || what.path !== path) continue;
    for (const line of what.removed) standing.delete(line);
    for (const line of what.added) standing.add(line);
  }
  return lines.filter((line) => standing.has(line)).length * 2 < lines.length;
}

const { found, failed } = findRepetitions(options.sessions);
const fired = new Set(warnings.map(({ id }) => id));
if (options.calls) {
  for (const { kind, isRight, what, because, session } of warnings)
    console.log(
      `${isRight === null ? "?" : isRight ? "right" : "WRONG"} ${kind} ${session} ${what}\n    ${because}`,
    );
  for (const one of found.filter(({ kind }) => kind !== "code"))
    console.log(
      `${fired.has(one.id) ? "told  " : "silent"} ${one.kind} ${one.session.slice(0, 8)} ${one.what}\n    ${one.error}`,
    );
}
console.log(
  `${sessions.length} sessions, ${calls.command} commands, ${calls.edit} edits, ${failed} commands failed`,
);
const share = (part: number, all: number) => (all === 0 ? "-" : (part / all).toFixed(2));
printTable(
  ["told before", "times", "right", "wrong", "not known", "precision"],
  (["command", "edit"] as const).map((kind) => {
    const all = warnings.filter((one) => one.kind === kind);
    const right = all.filter(({ isRight }) => isRight === true).length;
    const wrong = all.filter(({ isRight }) => isRight === false).length;
    return [
      kind,
      `${all.length}`,
      `${right}`,
      `${wrong}`,
      `${all.length - right - wrong}`,
      share(right, right + wrong),
    ];
  }),
  options,
);
console.log("");
printTable(
  ["repetitions", "found", "told before", "share"],
  (["call", "hunk", "code"] as const).map((kind) => {
    const all = found.filter((one) => one.kind === kind);
    const told = all.filter(({ id }) => fired.has(id)).length;
    return [kind, `${all.length}`, `${told}`, share(told, all.length)];
  }),
  options,
);
memory.close();
