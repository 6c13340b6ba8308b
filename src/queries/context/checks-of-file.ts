import { type CommandRecord, listCommands } from "../../store/memory/commands.ts";
import { sessionByUid, sessionsByIds } from "../../store/memory/sessions/sessions.ts";
import { turnsWithFile } from "../../store/memory/sessions/turns.ts";
import type { Injection } from "./quote.ts";
import { type ContextSource, inSight, placeOf } from "./source.ts";

/** So many sessions make a habit, and they are such a share of those that edited the file. */
const habit = { sessions: 3, share: 0.4 } as const;
/** Turns that are looked at, the latest. */
const maxTurns = 200;
/** They follow any edit. */
const versionControl = /^(?:git|gh|glab|hg|jj|svn)\b/;

interface Check {
  latest: CommandRecord;
  sessions: number;
}

/**
 * What sessions that edited a file ran afterwards with success, and the one that edits it now has not run yet: how it is checked
 * here. At most one.
 */
export function checkToTell(source: ContextSource, sessionUid: string, file: string): Injection[] {
  const { memory, until } = source;
  const sees = inSight(source, sessionUid);
  const editors = new Map<number, number>();
  const edits = turnsWithFile(memory, file, maxTurns).filter(
    ({ files, abandoned, startedAt }) =>
      !abandoned &&
      (until === null || (startedAt ?? 0) <= until) &&
      files.some(({ path, how }) => path === file && how !== "read"),
  );
  // Turns come latest first: the first edit of each session stays.
  for (const { sessionId, number } of edits) editors.set(sessionId, number);
  const sessions = sessionsByIds(memory, [...editors.keys()]);
  const checks = new Map<string, Check>();
  let edited = 0;
  for (const [sessionId, first] of editors) {
    if (sees(sessions.get(sessionId)?.uid ?? "")) continue;
    edited++;
    const forms = new Set<string>();
    for (const run of listCommands(memory, { sessionId, outcome: "worked", until })) {
      if (run.turn < first || forms.has(run.form) || versionControl.test(run.name)) continue;
      forms.add(run.form);
      const { latest = run, sessions = 0 } = checks.get(run.form) ?? {};
      const isLater = (run.at ?? 0) > (latest.at ?? 0);
      checks.set(run.form, { latest: isLater ? run : latest, sessions: sessions + 1 });
    }
  }
  const own = sessionByUid(memory, sessionUid);
  const ran = new Set(
    own === null ? [] : listCommands(memory, { sessionId: own.id, until }).map(({ form }) => form),
  );
  const usual = [...checks.values()]
    .filter(({ sessions }) => sessions >= habit.sessions && sessions >= habit.share * edited)
    .sort((a, b) => b.sessions - a.sessions || (b.latest.at ?? 0) - (a.latest.at ?? 0));
  const best = usual.find(({ latest: { form } }) => !ran.has(form));
  if (best === undefined) return [];
  const { line, directory, form, sessionUid: session, turn, at } = best.latest;
  return [
    {
      ref: `command:${form}`,
      kind: "Usual after edits of this file",
      quote: `${line}${directory === "" ? "" : ` (in ${directory})`}; it worked in ${best.sessions} of the ${edited} sessions that edited ${file}`,
      place: `last in ${placeOf({ session, turn, at })}`,
      why: `sessions that edited ${file} ran it`,
      score: null,
    },
  ];
}
