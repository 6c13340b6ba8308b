import { type AgentSession, call, endTurn, meet, nameOf, prompt, startSession } from "./agent.ts";
import { type Act, acts, change, onFile } from "./agent-acts.ts";
import { bash, edit } from "./agent-tools.ts";
import { feature, revert, stash } from "./branches.ts";
import { prose } from "./code.ts";
import { amend, commitAll, commitSome, messageOf } from "./commits.ts";
import { humanActs } from "./human-acts.ts";
import { linkedWorktree, pull } from "./others.ts";
import { shellActs } from "./shell-acts.ts";
import { humanSituationActs, situationActs } from "./situations/acts.ts";
import { everydayActs, humanEverydayActs } from "./situations/everyday.ts";
import type { Seconds } from "./situations/habits.ts";
import { momentActs } from "./situations/moments.ts";
import { opaqueActs } from "./situations/opaque.ts";
import { unnamedActs } from "./situations/unnamed.ts";
import type { Plan } from "./weights.ts";
import { type Checkout, pass, save, tell, type World } from "./world.ts";

/** Decides what happens next. */
export class Director {
  readonly #world: World;
  readonly #plan: Plan;
  readonly #open: AgentSession[] = [];

  constructor(world: World, plan: Plan) {
    this.#world = world;
    this.#plan = plan;
    world.duringHooks = (session, seconds) => this.#duringHooks(session, seconds);
  }

  /** Work, and now and then something that happens to all of it. */
  async step(): Promise<void> {
    const { random, main } = this.#world;
    const { happenings, happen } = this.#plan;
    if (happenings.length > 0 && random.chance(happen)) {
      await this.#happen(random.weighted(happenings));
    } else {
      await this.#work();
      if (random.chance(this.#world.habits.commits)) await commitAll(this.#world, main);
    }
  }

  async #duringHooks(session: AgentSession, [from, to]: Seconds): Promise<void> {
    const world = this.#world;
    pass(world, from / 2, to / 2);
    if (world.random.chance(world.habits.humanDuringHooks)) this.#human(session.checkout);
    pass(world, from / 2, to / 2);
  }

  #human(checkout: Checkout): void {
    const act = this.#world.random.weighted(this.#plan.humans);
    (humanActs[act] ?? humanSituationActs[act] ?? humanEverydayActs[act]!)(this.#world, checkout);
  }

  readonly #steps = async (_: World, steps: number): Promise<void> => {
    for (let i = 0; i < steps; i++) await this.#work();
  };

  /** One thing that an agent or a human does. */
  async #work(): Promise<void> {
    const { random, main } = this.#world;
    if (random.chance(0.42)) {
      this.#human(main);
      return;
    }
    const session = this.#someSession();
    if (session.left === 0)
      prompt(this.#world, session, `Please ${prose(random).toLowerCase()}`, random.int(1, 6));
    await this.#act(session);
    session.left--;
    if (session.left <= 0) {
      endTurn(this.#world, session);
      if (random.chance(0.25)) this.#open.splice(this.#open.indexOf(session), 1);
      pass(this.#world, 5, random.chance(0.2) ? 3000 : 200);
    }
  }

  #someSession(): AgentSession {
    const world = this.#world;
    const wanted = world.habits.sessions ?? (world.random.chance(0.2) ? 2 : 1);
    if (this.#open.length < wanted) this.#open.push(startSession(world, world.main));
    return world.random.pick(this.#open);
  }

  async #act(session: AgentSession): Promise<void> {
    const name = this.#world.random.weighted(this.#plan.acts);
    const act =
      acts[name] ??
      shellActs[name] ??
      situationActs[name] ??
      everydayActs[name] ??
      momentActs[name] ??
      unnamedActs[name] ??
      opaqueActs[name] ??
      this.#more[name]!;
    await act(this.#world, session);
  }

  /** Acts with others in them. */
  readonly #more: Readonly<Record<string, Act>> = {
    subagent: async (world, session) => {
      if (session.parent) return false;
      const sub = startSession(world, session.checkout, { parent: session });
      const task = prose(world.random);
      await call(
        world,
        session,
        "Task",
        (id) => {
          sub.meta = { agentType: "general-purpose", description: task, toolUseId: id, spawnDepth: 1 };
          return { description: task, prompt: task, subagent_type: "general-purpose" };
        },
        async () => {
          prompt(world, sub, task, 0);
          for (let i = world.random.int(1, 3); i > 0; i--) await this.#act(sub);
          endTurn(world, sub);
          const content = [{ type: "text", text: "It is done." }];
          const agentId = sub.uid.split("/")[1];
          return { content, structured: { status: "completed", agentId, prompt: task, content } };
        },
      );
      return true;
    },

    /** While it runs, a human keeps working, or another session. */
    "busy-command": async (world, session) => {
      const command = world.random.pick(["npm test", "go test ./...", "npm run build", "sleep 20; cat log"]);
      await bash(
        world,
        session,
        () => command,
        () => {
          pass(world, 2, 10);
          if (world.random.chance(0.5)) {
            const name = world.random.pick(["human-edits", "human-edits", "human-writes-file"]);
            humanActs[name]!(world, session.checkout);
          }
          return "ok\n";
        },
        [2, 40],
      );
      return true;
    },

    /** Another session writes while this one does. */
    "beside-another": onFile(async (world, session, path) => {
      const other = this.#open.find((one) => one !== session) ?? startSession(world, session.checkout);
      if (!this.#open.includes(other)) this.#open.push(other);
      if (other.left === 0) prompt(world, other, prose(world.random), 2);
      await edit(world, session, path, change(world, path, "agent's edit"), {
        after: () => this.#act(other),
      });
    }),

    "agent-commits": (world, session) =>
      this.#gitByAgent(world, session, "git commit -m", (message) =>
        commitAll(world, session.checkout, { by: topOf(session), message }),
      ),
    "agent-amends": (world, session) =>
      this.#gitByAgent(world, session, "git commit --amend -m", (message) =>
        amend(world, session.checkout, topOf(session), message),
      ),
  };

  async #gitByAgent(
    world: World,
    session: AgentSession,
    command: string,
    run: (message: string) => Promise<string | null>,
  ): Promise<boolean> {
    const message = messageOf(world);
    await bash(
      world,
      session,
      () => `git add -A && ${command} "${message}"`,
      async () => (await run(message)) ?? "nothing to commit, working tree clean",
    );
    return true;
  }

  async #happen(name: string): Promise<void> {
    const world = this.#world;
    const { random, main } = world;
    tell(world, `-- ${name}`);
    switch (name) {
      case "partial-commit":
        await this.#steps(world, random.int(2, 4));
        if (!(await commitSome(world, main))) await commitAll(world, main);
        return;
      case "amend":
        await commitAll(world, main);
        if (random.chance(0.6)) await this.#work();
        await amend(world, main, null);
        return;
      case "revert":
        return revert(world, this.#steps);
      case "stash":
        return stash(world, this.#steps);
      case "abandoned-turn":
        return this.#abandon();
      case "worktree":
        return linkedWorktree(world, this.#steps, (session) => this.#act(session));
      case "other-project":
        return this.#foreign();
      case "late-commit":
        await this.#steps(world, random.int(2, 5));
        pass(world, 2 * 86_400, 12 * 86_400);
        if (random.chance(0.3)) await this.#work();
        await commitAll(world, main, { how: ["late"] });
        return;
      case "daemon-down":
        world.downUntil = world.now + random.int(60, 1200) * 1000;
        return;
      case "pull":
        return pull(world);
      default:
        return feature(world, this.#steps, [[name, 1]]);
    }
  }

  /** A turn that the user goes back from, with what it did to the files or without. */
  async #abandon(): Promise<void> {
    const world = this.#world;
    const { random } = world;
    const session = this.#someSession();
    if (session.left > 0) endTurn(world, session);
    if (session.ends.length === 0) {
      prompt(world, session, prose(random), 1);
      await this.#act(session);
      endTurn(world, session);
    }
    const { checkout, told, ends } = session;
    const before = new Map(checkout.files);
    prompt(world, session, `Try to ${prose(random).toLowerCase()}`, 0);
    for (let i = random.int(1, 3); i > 0; i--)
      await acts[random.pick(["edit", "edit", "write"])]!(world, session);
    meet(world, session);
    told.reply("I have tried it.");
    pass(world, 5, 60);
    told.after(ends.at(-1)!);
    if (random.chance(0.7)) {
      for (const [path, lines] of checkout.files) {
        const old = before.get(path);
        if (old !== lines) save(world, checkout, path, old ?? null, { by: "human" });
      }
      tell(world, `human: goes back from ${nameOf(session)} turn ${session.turn}, files as well`);
    } else {
      tell(world, `human: goes back from ${nameOf(session)} turn ${session.turn}, files stay`);
    }
    prompt(world, session, `No, ${prose(random).toLowerCase()}`, 0);
    for (let i = random.int(1, 2); i > 0; i--) await this.#act(session);
    endTurn(world, session);
  }

  /** Somebody who was launched in another project changes files of this one. */
  async #foreign(): Promise<void> {
    const world = this.#world;
    const session = startSession(world, world.main, { isForeign: true });
    prompt(world, session, prose(world.random), 0);
    for (let i = world.random.int(1, 2); i > 0; i--) await acts.edit!(world, session);
    endTurn(world, session);
  }
}

const topOf = (session: AgentSession): string => session.parent?.uid ?? session.uid;
