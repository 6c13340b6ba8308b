import type { CallContext } from "../tools/tool.ts";

/** Lines for an agent about work that goes on now; none where there is nothing to say. */
type TellWork = (context: CallContext) => Promise<string[]>;

/** What features say where an agent asks where work stopped (`recall` without arguments). */
export const workNow: Readonly<Record<string, () => Promise<TellWork>>> = {
  rules: async () => (await import("./rules/tool-answer.ts")).tellRules,
  radar: async () => (await import("./radar/tool-answer.ts")).tellWorkNow,
};

/** Lines for an agent about a session, or a turn of it, that it reads. */
type TellOfSession = (
  context: CallContext,
  read: { session: string; turn: number | null },
) => Promise<string[]>;

/** What features say of a session that an agent reads (`recall` with an id). */
export const sessionsRead: Readonly<Record<string, () => Promise<TellOfSession>>> = {
  undo: async () => (await import("./undo/tool-answer.ts")).tellWhatStands,
};
