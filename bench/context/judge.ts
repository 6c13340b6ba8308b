import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as z from "zod/mini";
import { makeDefaultConfig } from "../../src/base/config/settings.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { createIgnoreRules } from "../../src/code/files/ignore.ts";
import { Indexer } from "../../src/code/index/indexer.ts";
import { indexDriver } from "../../src/engines/drivers.ts";
import { listItemFiles } from "../../src/features/context/at-start.ts";
import { findNamedCode } from "../../src/features/context/relevance.ts";
import { type CommandRecord, listCommands } from "../../src/store/memory/commands.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import type { Moment, Played } from "./replay.ts";

/**
 * What was injected is right if the session then touched a file that it names, or ran a command that it gives; that an edit
 * brings lines back is, if they were taken out once more.
 */

/** Files touched, and commands run, that count as soon after what was injected. */
const soonActions = 10;

export interface Judged {
  moment: Moment;
  /** Items that name a file or a command; others cannot be judged. */
  items: { ref: string; isRight: boolean; isSoon: boolean }[];
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
    const touchedSoon = new Set(
      play.touched
        .filter((one) => one.line >= line)
        .slice(0, soonActions)
        .map(({ path }) => path),
    );
    const ranSoon = new Set(
      own
        .filter((run) => (run.at ?? 0) > at)
        .slice(0, soonActions)
        .map(({ form }) => form),
    );
    /** Whether any of the files was touched, and whether soon. */
    const followed = (paths: readonly string[]) => ({
      isRight: paths.some((path) => touchedLater.has(path)),
      isSoon: paths.some((path) => touchedSoon.has(path)),
    });
    const items = (answer?.items ?? []).flatMap(({ ref, quote }): Judged["items"] => {
      if (ref.startsWith("revert:")) return [{ ref, isRight: isTakenOut(plays, moment), isSoon: false }];
      if (ref.startsWith("command:")) {
        const form = ref.slice("command:".length);
        return [{ ref, isRight: ranLater.has(form), isSoon: ranSoon.has(form) }];
      }
      if (ref.endsWith(":files")) return [{ ref, ...followed(quote.split(", ")) }];
      if (ref.endsWith(":commands")) {
        const forms = ranBefore.filter((run) => quote.split("; ").includes(run.line)).map(({ form }) => form);
        return [
          {
            ref,
            isRight: forms.some((form) => ranLater.has(form)),
            isSoon: forms.some((form) => ranSoon.has(form)),
          },
        ];
      }
      if (!ref.startsWith("session:")) return [];
      return [{ ref, ...followed(listItemFiles(memory, ref, at)) }];
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
      // A reader judges them.
      keep: () => false,
      past: () => false,
      read: () => false,
      failure: () => false,
      edit: () => false,
      check: () =>
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
      kind === "check"
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

/** Metadata of a session. */
export const manifestEntry = z.object({
  session_id: z.string(),
  first_timestamp: z.string(),
  last_timestamp: z.string(),
  branch: z.nullable(z.string()),
  files_touched: z.array(z.string()),
});
type Entry = z.infer<typeof manifestEntry>;

/** The metadata of a session that was played. */
export const toManifestEntry = ({ name, startedAt, endedAt, branch, touched }: Played): Entry => ({
  session_id: name,
  first_timestamp: new Date(startedAt).toISOString(),
  last_timestamp: new Date(endedAt).toISOString(),
  branch,
  files_touched: [...new Set(touched.map(({ path }) => path))],
});

const day = 24 * 3600 * 1000;
/** Maximum days between the end of one session and the start of its continuation on the same branch. */
const onBranch = 14;
const onFiles = 7;
const isMain = (branch: string | null) => branch === null || ["main", "master", "HEAD"].includes(branch);

/**
 * Which earlier sessions each session continues: one that began before it on the same branch, unless that is the main
 * one, and ended no more than two weeks before; or one that ended no more than a week before and touched at least half
 * of the files that it touches. Judged by time, branch and files, never by text.
 */
export function continuedBy(entries: readonly Entry[]): Map<string, Set<string>> {
  return new Map(
    entries.map((later) => [
      later.session_id,
      new Set(entries.filter((earlier) => continues(later, earlier)).map(({ session_id }) => session_id)),
    ]),
  );
}

function continues(later: Entry, earlier: Entry): boolean {
  if (Date.parse(earlier.first_timestamp) >= Date.parse(later.first_timestamp)) return false;
  const pause = (Date.parse(later.first_timestamp) - Date.parse(earlier.last_timestamp)) / day;
  if (!isMain(later.branch) && later.branch === earlier.branch && pause <= onBranch) return true;
  const shared = later.files_touched.filter((file) => earlier.files_touched.includes(file)).length;
  return shared > 0 && 2 * shared >= later.files_touched.length && pause <= onFiles;
}

/** What was injected about the code that a first prompt names. */
export interface Named {
  session: string;
  prompt: string;
  /** Whether the session later read or changed the file of the place. */
  places: { place: string; name: string; isUsed: boolean }[];
}

/**
 * Asks with each prompt in the code at the beginning of its session: the last commit of the default branch.
 * @param scratch where the repository is checked out and indexed
 */
export async function askForCode(
  repository: string,
  plays: readonly Played[],
  scratch: string,
): Promise<Named[]> {
  const root = join(scratch, "code");
  execFileSync("git", ["clone", "--quiet", "--shared", "--no-checkout", repository, root]);
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { encoding: "utf8" }).trim();
  const project = makeNewProject(root);
  const config = makeDefaultConfig();
  const { index } = await (await indexDriver(config)).openToWrite(join(scratch, "code.db"), silentLog);
  const named: Named[] = [];
  let last = "";
  try {
    for (const { name: session, moments, touched } of plays.toSorted((a, b) => a.startedAt - b.startedAt)) {
      const first = moments.find(({ kind }) => kind === "prompt");
      if (first === undefined) continue;
      const { at, prompt } = first;
      const revision = git("rev-list", "-1", `--before=${new Date(at).toISOString()}`, "origin/HEAD");
      if (revision === "") continue;
      if (revision !== last) {
        git("checkout", "--quiet", "--force", "--detach", revision);
        const rules = createIgnoreRules(root, config);
        const indexer = new Indexer({ project, config, rules, index, withVectors: false, log: silentLog });
        await indexer.reconcile();
        await indexer.close();
        last = revision;
      }
      const places = (await findNamedCode(index, prompt)).map(({ ref, place }) => {
        const [path = "", name = ""] = ref.slice("code:".length).split("#");
        // Sessions of other machines have other directories before it.
        const isUsed = touched.some((file) => file.path === path || file.path.endsWith(`/${path}`));
        return { place, name, isUsed };
      });
      named.push({ session, prompt, places });
    }
  } finally {
    await index.close();
  }
  return named;
}
