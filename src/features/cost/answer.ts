import { findNamedCommit, splitRange } from "../../answers/named-commit.ts";
import { loadCurrentConfig } from "../../answers/open.ts";
import type { Subjects } from "../../answers/operation.ts";
import { addTo, getOrCreate } from "../../base/multimap.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { formatLocalDay } from "../../base/text/local-time.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { readGitText } from "../../git/git.ts";
import { certain } from "../../protocol/reading/evidence.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { isOutputRecorded, makePriceFinder, priceLists, priceTokens } from "../../sessions/cost/prices.ts";
import { type LedTo, readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSession, listSessions } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { listTurnUsage, listUsedModels, type TurnUsage } from "../../store/memory/sessions/usage.ts";
import type { costGroups } from "./group-words.ts";
import type { CostAnswer, CostSum, costRequest } from "./operation.ts";

const defaultRows = 20;

type CostGroup = (typeof costGroups)[number];
type FindPrice = ReturnType<typeof makePriceFinder>;

/** Tokens of a turn, and whose they are. */
interface Owned extends TurnUsage {
  uid: string;
  /** The session, or the one whose subagent's they are. */
  owner: SessionRecord;
  at: number;
  branch: string;
  hasOutput: boolean;
}

/**
 * What sessions cost, by the prices of the days on which they worked.
 * @throws PommelError `usage` for a time that makes no sense; `not_found` for an unknown session or commit
 */
export async function showCost(
  { project, memory }: Subjects["memory"],
  request: Shaped<typeof costRequest>,
): Promise<CostAnswer> {
  const { since, until } = await parsePeriod(request);
  const wanted = request.commits === undefined ? null : await listHashes(project.root, request.commits);
  const findPrice = makePriceFinder(loadCurrentConfig(project)["cost.prices"]);
  return memory.readInSnapshot(() => {
    const session = request.session === undefined ? null : findSession(memory, request.session);
    const by = request.by ?? (wanted !== null ? "commit" : session === null ? "day" : "turn");
    const all = listOwnedUsage(memory, findPrice);
    const findCommit = wanted === null && by !== "commit" ? () => null : makeCommitFinder(memory, all);
    const usage = all.filter(
      (part) =>
        (session === null || part.owner.id === session.id || part.sessionId === session.id) &&
        (since === null || part.at >= since) &&
        (until === null || part.at <= until) &&
        (request.branch === undefined || part.branch === request.branch) &&
        (wanted === null || wanted.has(findCommit(part)?.hash ?? "")),
    );
    const rows = sumByGroup(memory, usage, by, findPrice, findCommit);
    return {
      since: formatIsoTime(since),
      until: formatIsoTime(until),
      by,
      total: sumUsage(usage, findPrice),
      rows: rows.slice(0, request.limit ?? defaultRows),
      rows_total: rows.length,
      ...listPrices(usage, findPrice),
    };
  });
}

function listOwnedUsage(memory: Memory, findPrice: FindPrice): Owned[] {
  const now = Date.now();
  const longPrompts = Object.fromEntries(
    listUsedModels(memory).flatMap((model) => {
      const above = findPrice(model, now)?.long?.above;
      return above === undefined ? [] : [[model, above]];
    }),
  );
  const usage = listTurnUsage(memory, longPrompts);
  const sessions = new Map(listSessions(memory, { children: true }).map((one) => [one.id, one]));
  const recorded = new Map<number, { messages: number; brief: number }>();
  for (const { sessionId, messages, brief } of usage) {
    const sum = getOrCreate(recorded, sessionId, () => ({ messages: 0, brief: 0 }));
    sum.messages += messages;
    sum.brief += brief;
  }
  return usage.flatMap((part) => {
    const session = sessions.get(part.sessionId);
    if (session === undefined) return [];
    return [
      {
        ...part,
        uid: session.uid,
        owner: findOwner(session, sessions),
        at: part.at ?? session.lastAt ?? 0,
        branch: part.branch ?? session.branch ?? "",
        hasOutput: isOutputRecorded(recorded.get(part.sessionId)!),
      },
    ];
  });
}

function findOwner(session: SessionRecord, sessions: ReadonlyMap<number, SessionRecord>): SessionRecord {
  const seen = new Set<number>();
  let owner = session;
  while (owner.parentId !== null && !seen.has(owner.id)) {
    seen.add(owner.id);
    owner = sessions.get(owner.parentId) ?? owner;
  }
  return owner;
}

function sumByGroup(
  memory: Memory,
  usage: readonly Owned[],
  by: CostGroup,
  findPrice: FindPrice,
  findCommit: FindCommit,
): CostAnswer["rows"] {
  const nameGroup =
    by === "commit" ? (part: Owned) => findCommit(part)?.hash ?? "" : makeGroupNamer(memory, by);
  const groups = new Map<string, Owned[]>();
  for (const part of usage) getOrCreate(groups, nameGroup(part), () => []).push(part);
  const rows = [...groups].map(([name, parts]) => ({
    name,
    title:
      by === "session"
        ? parts[0]!.owner.title
        : by === "commit"
          ? (findCommit(parts[0]!)?.subject ?? null)
          : null,
    ...sumUsage(parts, findPrice),
  }));
  if (by === "turn") return rows.sort((a, b) => Number(a.name) - Number(b.name));
  if (by === "day" || by === "week") return rows.sort((a, b) => (a.name < b.name ? 1 : -1));
  return rows.sort((a, b) => b.dollars - a.dollars || countTokens(b) - countTokens(a));
}

function makeGroupNamer(memory: Memory, by: Exclude<CostGroup, "commit">): (part: Owned) => string {
  switch (by) {
    case "day":
      return ({ at }) => formatLocalDay(new Date(at));
    case "week":
      return ({ at }) => {
        const day = new Date(at);
        day.setDate(day.getDate() - ((day.getDay() + 6) % 7));
        return formatLocalDay(day);
      };
    case "branch":
      return ({ branch }) => branch;
    case "session":
      return ({ owner }) => owner.uid;
    case "model":
      return ({ model }) => model;
    case "turn":
      return makeTurnNamer(memory);
  }
}

/** The commit that a part led to; null: none is known. */
type FindCommit = (part: Owned) => LedTo | null;

/** A prompt counts for the next commit that its session led to. */
function makeCommitFinder(memory: Memory, usage: readonly Owned[]): FindCommit {
  const nameTurn = makeTurnNamer(memory);
  const sessions = new Map(usage.map((part) => [part.uid, part]));
  const led = new Map<number, { commit: LedTo; turn: number }[]>();
  for (const [uid, commits] of readCommitsOfSessions(memory, [...sessions.keys()])) {
    const part = sessions.get(uid)!;
    for (const commit of commits) {
      if (commit.confidence < certain) continue;
      const place = { ...part, turn: commit.turns.at(-1) ?? 0, at: commit.committedAt };
      addTo(led, part.owner.id, { commit, turn: Number(nameTurn(place)) });
    }
  }
  // The first that a turn led to; the latest of several took the place of the others.
  for (const commits of led.values())
    commits.sort((a, b) => a.turn - b.turn || b.commit.committedAt - a.commit.committedAt);
  return (part) => {
    const turn = Number(nameTurn(part));
    return led.get(part.owner.id)?.find((one) => one.turn >= turn)?.commit ?? null;
  };
}

/** A commit, or those that the second of two has and the first has not. */
async function listHashes(root: string, named: string): Promise<Set<string>> {
  const ends = splitRange(named);
  if (ends === null) return new Set([await findNamedCommit(root, named)]);
  const [from, to] = [await findNamedCommit(root, ends[0]), await findNamedCommit(root, ends[1])];
  const hashes = await readGitText(root, ["rev-list", `${from}..${to}`, "--"]);
  return new Set(hashes.split("\n").filter((hash) => hash !== ""));
}

/** A subagent's tokens are of the turn that was going on when it was started. */
function makeTurnNamer(memory: Memory): (part: Owned) => string {
  const starts = new Map<number, { number: number; startedAt: number | null }[]>();
  return ({ sessionId, owner, turn, at }) => {
    if (owner.id === sessionId) return `${turn}`;
    const turns = getOrCreate(starts, owner.id, () => listTurns(memory, owner.id));
    return `${turns.findLast(({ startedAt }) => startedAt !== null && startedAt <= at)?.number ?? 0}`;
  };
}

function sumUsage(usage: readonly Owned[], findPrice: FindPrice): CostSum {
  const sum = { input: 0, output: 0, cache_read: 0, cache_write: 0, dollars: 0, unpriced_tokens: 0 };
  const [owners, silent] = [new Set<number>(), new Set<number>()];
  for (const part of usage) {
    const output = part.hasOutput ? part.output : 0;
    owners.add(part.owner.id);
    if (!part.hasOutput) silent.add(part.owner.id);
    sum.input += part.input;
    sum.output += output;
    sum.cache_read += part.cacheRead;
    sum.cache_write += part.cacheWrite;
    const price = findPrice(part.model, part.at);
    if (price === null) sum.unpriced_tokens += part.input + output + part.cacheRead + part.cacheWrite;
    else sum.dollars += priceTokens(price, { ...part, output }, part.isLong);
  }
  const isSilent = usage.length > 0 && usage.every(({ hasOutput }) => !hasOutput);
  return {
    ...sum,
    output: isSilent ? null : sum.output,
    dollars: Math.round(sum.dollars * 1e6) / 1e6,
    sessions: owners.size,
    without_output: silent.size,
  };
}

const countTokens = ({ input, output, cache_read, cache_write }: CostSum): number =>
  input + (output ?? 0) + cache_read + cache_write;

function listPrices(usage: readonly Owned[], findPrice: FindPrice): Pick<CostAnswer, "prices" | "lists"> {
  const now = Date.now();
  const found = [...new Set(usage.map(({ model }) => model))]
    .sort()
    .map((model) => ({ model, price: findPrice(model, now) }));
  const vendors = new Set(found.map(({ price }) => price?.vendor));
  return {
    prices: found.map(({ model, price }) => ({
      model,
      from: price === null ? null : price.vendor === null ? "settings" : "list",
      price: price && {
        input: price.input,
        output: price.output,
        cache_read: price.cacheRead,
        cache_write: price.cacheWrite ?? price.input,
      },
    })),
    lists: priceLists
      .filter(({ vendor }) => vendors.has(vendor))
      .map(({ vendor, asOf, source }) => ({ vendor, as_of: asOf, source })),
  };
}
