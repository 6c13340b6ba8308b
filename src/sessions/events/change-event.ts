import { getErrorCode, PommelError } from "../../base/errors.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import { findCheckpoint } from "../../store/memory/commits/checkpoints.ts";
import {
  isLinked,
  listEventLinks,
  makeEventUid,
  readEvents,
  saveEvent,
  saveLink,
} from "../../store/memory/events.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { EventLink, EventRecord } from "../../store/memory/memory-records.ts";
import { findSession } from "../../store/memory/sessions/sessions.ts";
import { scrubLabel } from "../scrub/scrub-lines.ts";
import type { ScrubbingWork } from "../work.ts";
import { makeBranchTitle } from "./branch-title.ts";

/** Characters. */
const maxEventChars = { title: 200, description: 10_000 } as const;

export interface EventToCreate {
  /** null: the title in the branch's name. */
  title: string | null;
  description?: string;
  /** Left out: temporal where it has a time, else task. */
  type?: EventRecord["type"] | undefined;
  branch?: string | null;
  startsAt?: number | null;
  endsAt?: number | null;
  targets?: readonly EventTarget[];
}

type EventWork = Pick<ScrubbingWork, "memory" | "scrubber">;

/**
 * Makes an event, scrubbed, with its first links.
 * @throws PommelError `usage` for one without a title, with a time that makes no sense, or about a branch that another
 *   active one is about
 */
export function createEvent(work: EventWork, asked: EventToCreate, now = Date.now()): EventRecord {
  const { memory } = work;
  const { startsAt = null, endsAt = null, targets = [] } = asked;
  const branch = asked.branch == null ? null : scrubAlone(work.scrubber, asked.branch);
  const hasTime = startsAt !== null || endsAt !== null;
  const type = asked.type ?? (hasTime ? "temporal" : "task");
  checkTime(type, startsAt, endsAt);
  const asTitle = asked.title ?? (branch === null ? "" : makeBranchTitle(branch));
  rejectTooLong("title", asTitle.trim());
  const title = scrubLabel("title", asTitle, (text) => scrubAlone(work.scrubber, text));
  if (title === "") {
    throw new PommelError("usage", "The event has no title.", 'Write `pm event create "what it is about"`.');
  }
  const description = (asked.description ?? "").trim();
  rejectTooLong("description", description);
  const about =
    branch !== null && readEvents(memory, { status: "active" }).find((one) => one.branch === branch);
  if (about) {
    throw new PommelError(
      "usage",
      `${branch} already has an active event: ${about.title} (${about.uid}).`,
      `\`pm event show ${about.uid}\` shows it.`,
    );
  }
  const event: EventRecord = {
    uid: makeEventUid(),
    title,
    description: scrubAlone(work.scrubber, description),
    type,
    status: "active",
    branch,
    startsAt,
    endsAt,
    createdAt: now,
    updatedAt: now,
  };
  return memory.runInTransaction(() => {
    saveEvent(memory, event);
    linkTargets(memory, event, targets, now);
    return event;
  });
}

function checkTime(type: EventRecord["type"], startsAt: number | null, endsAt: number | null): void {
  const hasTime = startsAt !== null || endsAt !== null;
  if (hasTime !== (type === "temporal")) {
    throw new PommelError(
      "usage",
      hasTime ? `A ${type} event has no time.` : "A temporal event needs a time.",
      hasTime ? "Omit --since and --until, or --type." : "Give --since, --until or both.",
    );
  }
  if (startsAt !== null && endsAt !== null && endsAt < startsAt) {
    throw new PommelError("usage", "The event ends before it starts.", "Check --since and --until.");
  }
}

function rejectTooLong(what: keyof typeof maxEventChars, text: string): void {
  if (text.length <= maxEventChars[what]) return;
  throw new PommelError(
    "usage",
    `The ${what} has ${text.length} characters.`,
    `At most ${maxEventChars[what]} are kept.`,
  );
}

/**
 * Links an event with sessions and checkpoints.
 * @returns those that were not linked before
 */
export function linkTargets(
  memory: Memory,
  event: EventRecord,
  targets: readonly EventTarget[],
  now = Date.now(),
): EventTarget[] {
  return memory.runInTransaction(() =>
    targets.filter((target) => {
      const known = findKnownLink(memory, event, target);
      if (known && isLinked(known)) return false;
      // Later than it was unlinked, even if the clock of the other machine was ahead.
      const addedAt = Math.max(now, (known?.removedAt ?? 0) + 1);
      saveLink(memory, { eventUid: event.uid, ...target, addedAt, removedAt: null });
      return true;
    }),
  );
}

/** Removes sessions and checkpoints from an event, also those that it includes by its branch or time. */
export function unlinkTargets(
  memory: Memory,
  event: EventRecord,
  targets: readonly EventTarget[],
  now = Date.now(),
): void {
  memory.runInTransaction(() => {
    for (const target of targets) {
      const known = findKnownLink(memory, event, target);
      const removedAt = Math.max(now, known?.addedAt ?? 0);
      saveLink(memory, { eventUid: event.uid, ...target, addedAt: known?.addedAt ?? 0, removedAt });
    }
  });
}

function findKnownLink(memory: Memory, { uid }: EventRecord, { kind, targetUid }: EventTarget) {
  return listEventLinks(memory, uid).find((link) => link.kind === kind && link.targetUid === targetUid);
}

/**
 * Closes an event, archives it, or opens it again. A closed event does not include anything later; a reopened one has
 * no end.
 */
export function changeEventStatus(
  memory: Memory,
  event: EventRecord,
  status: EventRecord["status"],
  now = Date.now(),
): EventRecord {
  if (event.status === status) return event;
  const endsAt = status === "active" ? null : Math.min(event.endsAt ?? now, now);
  // Later than the version before, even if the clock of the other machine was ahead.
  const updatedAt = Math.max(now, event.updatedAt + 1);
  return saveEvent(memory, { ...event, status, endsAt, updatedAt, author: null, signer: null });
}

/** The target of a link from an event. */
export type EventTarget = Pick<EventLink, "kind" | "targetUid">;

/**
 * The session or the checkpoint that a person means: an id, a commit's hash, or the beginning of one of them.
 * @param kind where only one of both can be meant
 * @throws PommelError `not_found`; `usage` when several could be meant
 */
export function findTarget(memory: Memory, name: string, kind: EventLink["kind"] | null = null): EventTarget {
  const session = kind === "checkpoint" ? null : tryToFind(() => findSession(memory, name).uid);
  const checkpoint = kind === "session" ? null : tryToFind(() => findCheckpoint(memory, name).uid);
  const found = [
    session?.uid ? [{ kind: "session" as const, targetUid: session.uid }] : [],
    checkpoint?.uid ? [{ kind: "checkpoint" as const, targetUid: checkpoint.uid }] : [],
  ].flat();
  // A full id is an exact match, even if other ids begin with it.
  const exact = found.filter(({ targetUid }) => targetUid === name);
  const [only, ...others] = exact.length === 1 ? exact : found;
  if (only && others.length === 0) return only;
  if (only) {
    throw new PommelError(
      "usage",
      `${JSON.stringify(name)} could be a session or a checkpoint.`,
      "Use a longer prefix.",
    );
  }
  const errors = [session?.error, checkpoint?.error];
  const unclear = errors.find((error) => error && getErrorCode(error) !== "not_found");
  if (unclear) throw unclear;
  if (kind !== null) throw errors.find((error) => error);
  throw new PommelError(
    "not_found",
    `No session or checkpoint ${JSON.stringify(name)}.`,
    "`pm session list` and `pm checkpoint list` list them.",
  );
}

function tryToFind(find: () => string): { uid: string; error: null } | { uid: null; error: unknown } {
  try {
    return { uid: find(), error: null };
  } catch (error) {
    return { uid: null, error };
  }
}
