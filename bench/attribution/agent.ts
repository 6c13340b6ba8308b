import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Agent } from "../../src/agents/agent.ts";
import { idOf } from "../../test/support/transcript-fixture.ts";
import type { Line, Owner } from "./lines.ts";
import { differences, sameText, textsOf } from "./lines.ts";
import { clients, type Told } from "./situations/clients.ts";
import type { Checkout, World } from "./world.ts";
import { pass, tell } from "./world.ts";

/** A session of a client, or one of its subagents, with the transcript that the real client would write. */
export interface AgentSession {
  /** As Pommel calls it: for a subagent `<session>/<agent id>`. */
  uid: string;
  told: Told;
  adapter: Agent;
  /** Its clock is ahead by this. Milliseconds. */
  clockMs: number;
  checkout: Checkout;
  /** The checkout's directory, as its machine or container calls it. */
  cwd: string;
  turn: number;
  /** What it still does in this turn. */
  left: number;
  /** The last line of each turn, to go back to. */
  ends: string[];
  parent: AgentSession | null;
  /** Not one of this project's: its transcript is nowhere Pommel looks. */
  isForeign: boolean;
  /** Where its transcript is written to. */
  dir: string;
  /** For a subagent: the client's metadata beside its transcript. */
  meta?: Record<string, unknown>;
}

export function startSession(
  world: World,
  checkout: Checkout,
  { parent = null, isForeign = false }: { parent?: AgentSession | null; isForeign?: boolean } = {},
): AgentSession {
  const number = world.sessions.length + 1;
  const session = parent?.told.session ?? idOf(`${world.random.next()}:${number}`);
  const agentId = parent === null ? undefined : idOf(`${session}:${number}`).slice(0, 8);
  const dir = join(world.scratch, isForeign ? "elsewhere" : "projects");
  mkdirSync(dir, { recursive: true });
  const model = world.random.pick(["claude-opus-4-5", "claude-sonnet-4-5"]);
  const clockMs = parent?.clockMs ?? world.habits.clockMs(world.random);
  const { adapter, tell: tellIn } = clients[world.habits.client];
  const cwd = world.habits.mount ?? checkout.dir;
  const told = tellIn({
    session,
    cwd,
    model,
    start: new Date(world.now + clockMs).toISOString(),
    ...(agentId !== undefined && { agentId }),
  });
  const uid = agentId === undefined ? told.session : `${session}/${agentId}`;
  const rest = { turn: 0, left: 0, ends: [], parent, isForeign, dir };
  const made: AgentSession = { uid, told, adapter, clockMs, checkout, cwd, ...rest };
  world.sessions.push(made);
  return made;
}

/** The transcript's clock is the world's, or as far from it as the session's machine has it. */
export function meet(world: World, { told, clockMs }: AgentSession): void {
  const at = Date.parse(told.time()) - clockMs;
  if (at < world.now) told.wait(world.now - at);
  else world.now = at;
}

/** The human asks for something: a turn begins. */
export function prompt(world: World, session: AgentSession, text: string, actions: number): void {
  meet(world, session);
  session.told.prompt(text);
  session.turn++;
  session.left = actions;
  meet(world, session);
  tell(world, `${nameOf(session)} turn ${session.turn}: ${text}`);
}

export function endTurn(world: World, session: AgentSession): void {
  meet(world, session);
  session.ends.push(session.told.reply("Done: the change is in, and the tests pass."));
  session.left = 0;
  meet(world, session);
}

export const nameOf = ({ uid }: AgentSession) =>
  `session ${uid.slice(0, 4)}${uid.includes("/") ? "/sub" : ""}`;

export function ownerOf(session: AgentSession, toolUse: string): Owner {
  if (session.isForeign) return { kind: "untold" };
  const { uid, turn, parent } = session;
  return {
    kind: "agent",
    session: uid,
    turn,
    toolUse,
    parent: parent?.uid ?? null,
    parentTurn: parent?.turn ?? null,
  };
}

export interface Result {
  content: unknown;
  structured: unknown;
  isError?: boolean;
}

/**
 * Calls a tool: `run` does what it does, some time after it was called and before its result is there.
 * @param seconds how long it takes at least and at most
 */
export async function call(
  world: World,
  session: AgentSession,
  tool: string,
  inputOf: (id: string) => Record<string, unknown>,
  run: (id: string) => Promise<Result> | Result,
  seconds: [number, number] = [0, 1],
): Promise<void> {
  meet(world, session);
  const { told } = session;
  // The input may depend on the call's result, whose lines carry its id.
  const input: Record<string, unknown> = {};
  const id = told.toolUse(tool, input);
  Object.assign(input, inputOf(id));
  const { permission, hooks } = world.habits;
  if (permission) pass(world, ...permission);
  world.now += world.random.int(40, 600);
  const { content, structured, isError = false } = await run(id);
  pass(world, ...seconds);
  if (hooks) await world.duringHooks(session, hooks);
  meet(world, session);
  told.toolResult(id, content, { structured, isError });
  meet(world, session);
}

/** A change as the client records it: hunks with three lines of context, by text alone. */
export function structuredPatch(before: readonly Line[], after: readonly Line[]) {
  const a = textsOf(before);
  const b = textsOf(after);
  const around = 3;
  const hunks: { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] }[] =
    [];
  let end = -1;
  for (const { a: from, b: to } of differences(a, b, sameText)) {
    const last = hunks.at(-1);
    const lines = [
      ...a.slice(from[0], from[1]).map((text) => `-${text}`),
      ...b.slice(to[0], to[1]).map((text) => `+${text}`),
    ];
    if (last && from[0] - end <= 2 * around) {
      last.lines.push(...a.slice(end, from[0]).map((text) => ` ${text}`), ...lines);
    } else {
      if (last) last.lines.push(...a.slice(end, end + around).map((text) => ` ${text}`));
      const start = Math.max(0, from[0] - around);
      hunks.push({
        oldStart: start + 1,
        oldLines: 0,
        newStart: to[0] - (from[0] - start) + 1,
        newLines: 0,
        lines: [...a.slice(start, from[0]).map((text) => ` ${text}`), ...lines],
      });
    }
    end = from[1];
  }
  hunks.at(-1)?.lines.push(...a.slice(end, end + around).map((text) => ` ${text}`));
  for (const hunk of hunks) {
    hunk.oldLines = hunk.lines.filter((line) => line[0] !== "+").length;
    hunk.newLines = hunk.lines.filter((line) => line[0] !== "-").length;
  }
  return hunks;
}
