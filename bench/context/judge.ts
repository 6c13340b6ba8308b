import { filesNamedBy } from "../../src/queries/context/at-start.ts";
import { type CommandRecord, listCommands } from "../../src/store/memory/commands.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import type { Moment, Played } from "./replay.ts";

/**
 * What was injected is right if the session then touched a file that it names, or ran a command that it gives; that an edit
 * brings lines back is, if they were taken out once more.
 */

export interface Judged {
  moment: Moment;
  /** Items that name a file or a command; others cannot be judged. */
  items: { ref: string; isRight: boolean }[];
  /** Something was known that would have been right. */
  isKnown: boolean;
  /** It was rightly told, at this moment or before: a session is told nothing twice. */
  isCovered: boolean;
}

/** Judges moments when all is played, and the memory knows what came after them. */
export function judgeMoments(
  memory: Memory,
  plays: readonly Played[],
  moments: readonly Moment[],
  continued: ReadonlyMap<string, ReadonlySet<string>>,
): Judged[] {
  const byName = new Map(plays.map((play) => [play.name, play]));
  const runs = new Map<string, CommandRecord[]>();
  for (const run of listCommands(memory).reverse()) {
    const own = runs.get(run.sessionUid) ?? [];
    own.push(run);
    runs.set(run.sessionUid, own);
  }
  /** Commands that each session was told so far. */
  const told = new Map<string, Set<string>>();
  return moments.map((moment): Judged => {
    const { at, line, uid, kind, answer, file, summary } = moment;
    const play = byName.get(moment.session)!;
    const own = runs.get(uid) ?? [];
    const touchedLater = new Set(play.touched.filter((one) => one.line >= line).map(({ path }) => path));
    const ranLater = new Set(own.filter((run) => (run.at ?? 0) > at).map(({ form }) => form));
    const ranBefore = own.filter((run) => (run.at ?? 0) <= at && run.outcome === "worked");
    const items = (answer?.items ?? []).flatMap(({ ref, quote }): Judged["items"] => {
      if (ref.startsWith("revert:")) return [{ ref, isRight: isTakenOut(plays, moment) }];
      if (ref.startsWith("command:")) return [{ ref, isRight: ranLater.has(ref.slice("command:".length)) }];
      if (ref.endsWith(":files"))
        return [{ ref, isRight: quote.split(", ").some((path) => touchedLater.has(path)) }];
      if (ref.endsWith(":commands")) {
        const forms = ranBefore.filter((run) => quote.split("; ").includes(run.line)).map(({ form }) => form);
        return [{ ref, isRight: forms.some((form) => ranLater.has(form)) }];
      }
      if (!ref.startsWith("session:")) return [];
      return [{ ref, isRight: filesNamedBy(memory, ref, at).some((path) => touchedLater.has(path)) }];
    });
    const isKnown = {
      start: () => (continued.get(moment.session)?.size ?? 0) > 0,
      prompt: () => (continued.get(moment.session)?.size ?? 0) > 0,
      compaction: () =>
        play.touched.some(
          (one) =>
            one.isEdit &&
            one.line < line &&
            touchedLater.has(one.path) &&
            !summary.includes(one.path.slice(one.path.lastIndexOf("/") + 1)),
        ) || ranBefore.some((run) => ranLater.has(run.form) && !summary.includes(run.line)),
      revert: () => false,
      edit: () =>
        plays.some(({ uid: other, endedAt, touched }) => {
          const edit = endedAt < at ? touched.find((one) => one.isEdit && one.path === file) : undefined;
          if (edit === undefined || other === uid) return false;
          return (runs.get(other) ?? []).some(
            (run) =>
              run.outcome === "worked" &&
              run.seq >= edit.line &&
              !/^(?:git|gh)\b/.test(run.name) &&
              ranLater.has(run.form) &&
              !ranBefore.some(({ form }) => form === run.form),
          );
        }),
    }[kind]();
    const toldHere = told.get(moment.session) ?? new Set();
    told.set(moment.session, toldHere);
    for (const { ref } of items) if (ref.startsWith("command:")) toldHere.add(ref.slice("command:".length));
    const isCovered =
      kind === "edit"
        ? [...toldHere].some((form) => ranLater.has(form))
        : items.some(({ isRight }) => isRight);
    return { moment, items, isKnown, isCovered };
  });
}

/** Whether most of the lines that an edit wrote were taken out of the file later, by this session or one that ended later. */
function isTakenOut(plays: readonly Played[], { session, at, file, line, removed, added }: Moment): boolean {
  const lines = (text: string) =>
    text
      .split("\n")
      .map((one) => one.trim())
      .filter((one) => one.length >= 8);
  const kept = new Set(lines(removed));
  const written = lines(added).filter((one) => !kept.has(one));
  const out = new Set(
    plays.flatMap(({ name, startedAt, edits }) =>
      edits
        .filter((edit) => edit.path === file && (name === session ? edit.line > line : startedAt > at))
        .flatMap((edit) => edit.removed),
    ),
  );
  return written.filter((one) => out.has(one)).length > written.length / 2;
}
