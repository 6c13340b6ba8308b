import pLimit from "p-limit";
import { KeptOnce } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { computeContext } from "./context.ts";
import { listInjected, listMissedAnswers } from "./injected.ts";
import type { contextRequest, injectionsRequest } from "./operation.ts";

/** What a daemon does when hooks have been answered: they have left items, too, which can wait. */
export const hooksAnswered = new KeptOnce<() => void>();

/** Of several hooks' questions that are worked on at once, each is answered too late. */
const oneByOne = pLimit(1);

export async function giveContext({ project }: Subjects["project"], request: Shaped<typeof contextRequest>) {
  const arrived = performance.now();
  const left = () => (request.within_ms ?? Number.POSITIVE_INFINITY) - (performance.now() - arrived);
  try {
    return await oneByOne(() => computeContext(project, { ...request, within_ms: left() }));
  } finally {
    if (oneByOne.pendingCount === 0) hooksAnswered.findShared()?.();
  }
}

/** Entries in the list, by default. */
const listedInjections = 10;

export const listInjections = (
  { memory }: Subjects["memory"],
  { session, limit = listedInjections }: Shaped<typeof injectionsRequest>,
) => ({ injections: listInjected(memory, { session, limit }), missed: listMissedAnswers(memory) });
