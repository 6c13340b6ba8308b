import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { AgentProfile } from "../../agents/agent.ts";
import { launchVariables, profiles } from "../../agents/profiles.ts";
import { PommelError } from "../../base/errors.ts";
import { quoteForShell } from "../../base/text/shell.ts";
import { locateProgram } from "../../client/autostart.ts";
import { canAsk } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode } from "../../terminal/interruption.ts";
import type { Output } from "../../terminal/output.ts";
import { makeDemoDirectory } from "./place.ts";
import { storyDay } from "./story.ts";
import { tellStory } from "./tell-story.ts";

interface DemoStep {
  /** What there is to see, in a line. */
  says: string;
  /** Of `pm`. */
  args: readonly string[];
  /** Where it runs; left out: in the repository of the story. */
  cwd?: string;
}

/** What a person would type in the repository of the story. */
const steps: readonly DemoStep[] = [
  {
    says: "An agent had three sessions in a small repository. After set-up, Pommel imports these sessions.",
    args: ["setup", "--all"],
  },
  {
    says: "From the sessions, Pommel finds out who wrote each line of the commits.",
    args: ["checkpoint", "backfill", "--all"],
  },
  {
    says: "A first search answers at once, from the text of the files. A moment later there is an index, which also finds code by meaning.",
    args: ["daemon", "start", "--wait"],
  },
  {
    says: "Where is it, and what did we say about it? A search covers code, sessions and commits.",
    args: ["search", "why do the retries use jitter", "--limit", "2"],
  },
  {
    says: "Why is this line here? Pommel shows the commit, the session, the prompt and the decision behind it.",
    args: ["why", "src/http/retry.ts:15"],
  },
  {
    says: "How are the tests run here? Pommel shows the command line that worked.",
    args: ["how", "test"],
  },
  {
    says: "What fixed this error?",
    args: [
      "fix",
      "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest' imported from src/http/retry.test.ts",
    ],
  },
  {
    says: "What did the last commit change, and who asked for it?",
    args: ["review", "HEAD"],
  },
  {
    says: "You can also see all of this in the browser, at an address that works while the demo runs.",
    args: ["open", "--no-browser"],
  },
];

/**
 * `pm demo`: shows on a made-up repository what Pommel does, in a home of its own, and leaves nothing behind.
 * @param directory also searches this repository, first
 * @returns the exit code of the first command that fails, else 0
 */
export async function demoCommand(
  { cwd, output }: CommandContext,
  directory: string | undefined,
  words: readonly string[],
): Promise<number> {
  if (output.json) throw new PommelError("usage", "The demo has no JSON output.", "Omit --json.");
  if (directory !== undefined && words.length === 0)
    throw new PommelError(
      "usage",
      "The demo needs a question for that repository.",
      'For example: pm demo . "retry with backoff"',
    );
  const demo = new Demo(output);
  try {
    if (directory !== undefined) {
      const says = "This is a real repository. Nothing has to be set up, and nothing is written into it.";
      await demo.show({
        says,
        args: ["search", "code", words.join(" "), "--limit", "3"],
        cwd: resolve(cwd, directory),
      });
    }
    demo.tell();
    for (const step of steps) await demo.show(step);
    if (canAsk(output)) await demo.waitForEnter();
    return 0;
  } catch (error) {
    if (error instanceof StepFailed) return error.exitCode;
    throw error;
  } finally {
    await demo.end();
  }
}

class StepFailed extends Error {
  constructor(readonly exitCode: number) {
    super("a step of the demo failed");
  }
}

/** A demo in a directory of its own, which goes with it. */
class Demo {
  private readonly directory = makeDemoDirectory();
  private readonly root = join(this.directory, "harbor");
  private readonly env = buildEnvironment(this.directory);
  private readonly guard: ChildProcess;
  private readonly interrupted = new AbortController();
  private running: ChildProcess | null = null;

  constructor(private readonly output: Output) {
    this.guard = spawn(process.execPath, [locateProgram("demo-guard.cjs"), this.directory], {
      // Ctrl-C in the terminal is not for it.
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      env: this.env,
      windowsHide: true,
    });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => {
        this.interrupted.abort();
        this.running?.kill("SIGTERM");
      });
  }

  /** Makes the repository of the story. */
  tell(): void {
    tellStory({ root: this.root, home: this.directory, now: storyDay });
  }

  /** Runs a command as a person would see it. @throws StepFailed */
  async show({ says, args, cwd = this.root }: DemoStep): Promise<void> {
    if (this.interrupted.signal.aborted) throw new StepFailed(interruptedCode);
    const { colors } = this.output;
    const typed = args.map((arg) => (/[^\w./:~-]/.test(arg) ? JSON.stringify(arg) : arg)).join(" ");
    this.output.print(`\n${colors.dim(`# ${says}`)}\n${colors.bold(`$ pm ${typed}`)}`);
    const child = spawn(process.execPath, [locateProgram("pm.cjs"), ...args, "--no-pager"], {
      stdio: ["ignore", "inherit", "inherit"],
      cwd,
      env: this.env,
    });
    this.running = child;
    this.guard.stdin?.write(`${child.pid}\n`);
    const [code] = await once(child, "exit");
    this.running = null;
    if (this.interrupted.signal.aborted) throw new StepFailed(interruptedCode);
    this.guard.stdin?.write("0\n");
    if (code !== 0) throw new StepFailed(typeof code === "number" ? code : 1);
  }

  async waitForEnter(): Promise<void> {
    const variable = `POMMEL_HOME=${quoteForShell(this.env.POMMEL_HOME ?? "")}`;
    this.output.print(
      `\nTo type along, in another terminal:\n  cd ${quoteForShell(this.root)}\n  export ${variable}`,
    );
    const dialogue = createInterface({ input: process.stdin, output: process.stderr });
    const { signal } = this.interrupted;
    dialogue.on("SIGINT", () => this.interrupted.abort());
    const answered = dialogue.question("\nLook around; Enter ends the demo. ", { signal }).catch(() => "");
    // Ctrl-D answers nothing.
    await Promise.race([answered, once(dialogue, "close")]);
    dialogue.close();
  }

  /** Resolves when nothing of it is left. */
  async end(): Promise<void> {
    const gone = once(this.guard, "exit");
    this.guard.stdin?.end();
    await gone;
    this.output.print(
      this.output.colors.dim(
        "\nThe demo is over, and everything that it made is deleted. `pm setup` sets Pommel up for you.",
      ),
    );
  }
}

/** Variables of this process, without those that name a home, a session or a repository. */
function buildEnvironment(home: string): NodeJS.ProcessEnv {
  const agents: readonly AgentProfile[] = Object.values(profiles);
  const named: readonly (string | undefined)[] = [
    ...agents.flatMap(({ environment, shellVariables = [] }) => [...environment, ...shellVariables]),
    ...agents.map(({ sessionVariable }) => sessionVariable),
    ...launchVariables,
  ];
  const isLeftOut = (name: string) => named.includes(name) || /^(?:POMMEL_|XDG_|GIT_)/.test(name);
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isLeftOut(name))),
    HOME: home,
    USERPROFILE: home,
    POMMEL_HOME: join(home, "pommel"),
    POMMEL_DAEMON_AUTOSTART: "true",
  };
}
