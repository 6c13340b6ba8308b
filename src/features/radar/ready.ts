import { join } from "node:path";
import { openMemory, withIndex } from "../../answers/open.ts";
import { isForHooks } from "../../answers/ready-for-hooks.ts";
import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { type Project, toRealPath } from "../../base/paths.ts";
import { CodeGraph } from "../../code/graph/graph.ts";
import { findKnownProject } from "../../git/projects/find-project.ts";
import { listProjectRoots } from "../../git/projects/roots.ts";
import { removeReadyPart, writeReadyPart } from "../../protocol/ready-context.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { type CodeMark, markCode, stripToCode } from "./bare-code.ts";
import {
  classifyCheckout,
  findLiveWork,
  type LiveChange,
  type LiveWork,
  prepareFile,
  readText,
} from "./changes.ts";
import { type FunctionHere, findCounterpart, findFunctions, isSameSignature } from "./functions.ts";
import type { ReadyNotice, ReadyRadar } from "./hooks.ts";
import { wordNotice } from "./words.ts";

/** Whether agents are told. */
export const isRadarOn = (project: Project): boolean => isForHooks(project, "radar.warn");

/** Writes down what agents in each checkout are told before and after edits; removes it where that is nothing. */
export async function makeRadarReady(project: Project, memory: Memory): Promise<void> {
  const isOn = isRadarOn(project);
  const roots = (openMemory(project)?.roots ?? (await listProjectRoots(project.root))).map(toRealPath);
  const work = isOn ? await findLiveWork(memory, roots) : { checkouts: [], sessions: [], changes: [] };
  const scrubber = openMemory(project)?.getScrubbingWork().scrubber;
  const clean = (text: string) => (scrubber === undefined ? text : scrubAlone(scrubber, text));
  for (const root of new Set(roots)) {
    const notices = (await listNotices(work, root)).map(({ text: [start, end], ...one }) => ({
      ...one,
      text: [start, clean(end)] as const,
    }));
    if (notices.length === 0) removeReadyPart("radar", root);
    else writeReadyPart("radar", { root, notices } as ReadyRadar);
  }
  await prepareFiles(work);
}

/** Where one session works alone, nobody waits to be told. */
const minSessions = 2;

async function prepareFiles({ sessions }: LiveWork): Promise<void> {
  if (sessions.length < minSessions) return;
  for (const { root, read } of sessions)
    if (root !== null) for (const path of read) await prepareFile(root, path);
}

/** What sessions in one checkout are to know of what others changed. */
async function listNotices({ changes }: LiveWork, root: string): Promise<ReadyNotice[]> {
  const notices: ReadyNotice[] = [];
  for (const change of changes) {
    const text = readText(join(root, change.path));
    if (text === null) continue;
    const { functions } = await findFunctions(change.path, text);
    const own = findCounterpart(change, functions);
    if (own === null) continue;
    const isOwnCheckout = root === change.root;
    if (isOwnCheckout || !isAlike(change, own))
      notices.push(makeNotice(change, root, own, change.path, changes));
    if (change.isSignatureChanged && (isOwnCheckout || !hasFollowed(change, own)))
      for (const { path, caller } of await findCallers(root, change, own))
        notices.push(makeNotice(change, root, caller, path, changes, true));
  }
  return notices;
}

const isAlike = ({ what, now }: LiveChange, own: FunctionHere): boolean =>
  what !== "removed" && now.code === own.code && isSameSignature(now, own);

const hasFollowed = ({ what, now }: LiveChange, own: FunctionHere): boolean =>
  what !== "removed" && isSameSignature(now, own);

function makeNotice(
  change: LiveChange,
  root: string,
  own: FunctionHere,
  path: string,
  changes: readonly LiveChange[],
  isCaller = false,
): ReadyNotice {
  const changedBy = changes
    .filter(
      (one) =>
        one.root === root &&
        one.path === path &&
        one.now.name === own.name &&
        (one.now.startLine === own.startLine || isSameSignature(one.before ?? one.now, own)),
    )
    .map(({ session }) => session);
  return {
    session: change.session,
    path,
    name: own.name,
    mark: markFunction(path, own),
    changedBy: [...new Set(changedBy)],
    at: change.at,
    from: change.from,
    text: wordNotice(change, classifyCheckout(change.root, root), isCaller ? own.name : null),
  };
}

/** As hooks look for it, in a file that may have changed around it. */
const markFunction = (path: string, { lines }: FunctionHere): CodeMark =>
  markCode(stripToCode(lines.join("\n"), path, { keepsIndent: true }));

/** More callers are everybody. */
const maxCallers = 40;

/** Functions of a checkout that surely call one of it. */
async function findCallers(
  root: string,
  { path, now }: LiveChange,
  own: FunctionHere,
): Promise<{ path: string; caller: FunctionHere }[]> {
  const project = findKnownProject(root);
  if (project === null || project.root !== root) return [];
  const places = await findCallingPlaces(project, path, now.name, own);
  const found: { path: string; caller: FunctionHere }[] = [];
  for (const place of places.slice(0, maxCallers)) {
    const text = readText(join(root, place.path));
    if (text === null) continue;
    const { functions } = await findFunctions(place.path, text);
    const around = functions.filter(({ name }) => name === place.name || name.endsWith(`.${place.name}`));
    const caller = around.length === 1 ? around[0] : undefined;
    if (caller !== undefined && caller.name !== own.name) found.push({ path: place.path, caller });
  }
  return found;
}

/** By the graph of calls; none where there is no index. */
async function findCallingPlaces(
  project: Project,
  file: string,
  qualified: string,
  { startLine: first, endLine: last }: FunctionHere,
): Promise<{ path: string; name: string }[]> {
  const name = qualified.slice(qualified.lastIndexOf(".") + 1);
  try {
    return await withIndex(project, loadConfig(project).config, async (index) => {
      const graph = await CodeGraph.openForIndex(index, project.root);
      const target = await graph.definitions.findDefinitionOfSpan({ file, name, first, last });
      if ((await graph.definitions.describeTarget(target)).name !== name) return [];
      const { edges } = await graph.findCallers([target]);
      return edges
        .filter(
          ({ kind, confidence, node }) =>
            kind === "call" && confidence === "resolved" && node.kind !== "file",
        )
        .map(({ node }) => ({ path: node.file, name: node.name }));
    });
  } catch (error) {
    if (error instanceof PommelError) return [];
    throw error;
  }
}
