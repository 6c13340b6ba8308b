import { Argument, type Command } from "commander";
import { agentNames, defaultAgentName, launchVariables } from "../../agents/profiles.ts";
import { anyHook, gitHookNames, hookNames } from "../../protocol/hooks.ts";
import { formatExamples, run } from "../../terminal/frame.ts";

/** The commands that agents, git, editors and shells run: options and help. Their code is loaded when they run. */

export function declareHook(program: Command): void {
  // An agent takes some exit codes for a veto, so no word after `pm hook` may cause a usage error.
  const hook = new Argument("[hook]", "the hook's name")
    .choices([...hookNames, anyHook, ...gitHookNames.map((name) => `git-${name}`)])
    .argParser((name) => name);
  program
    .command("hook")
    .description("Handle a hook of an agent or git (run by them); always exits with 0")
    .addArgument(hook)
    .argument("[words...]", "the arguments of the git hook")
    .option("--agent [name]", `the agent: ${agentNames.join(", ")} (default: ${defaultAgentName})`)
    .allowExcessArguments()
    .allowUnknownOption()
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm hook pre-compact < payload.json", "before the context is compacted"],
        ["pm hook handle < payload.json", "whichever hook the payload names"],
        ["pm hook git-post-commit", "after a commit"],
      )}\n\nPrints only automatic context on stdout, which the agent reads.`,
    )
    .action(
      run(async () => {
        const [{ runHook }, { runGitHook }] = await Promise.all([
          import("../hooks/run-hook.ts"),
          import("../hooks/run-git-hook.ts"),
        ]);
        return async (
          _,
          given: string | undefined,
          words: string[],
          { agent }: { agent?: string | true },
        ) => {
          const name = given ?? "";
          // The slow path: src/hook.ts and src/pm.ts take a faster one if the command line has nothing else.
          if (name.startsWith("git-")) await runGitHook(name, words);
          else await runHook(name, agent === true ? "" : agent);
        };
      }),
    );
}

export function declareMcp(program: Command): void {
  program
    .command("mcp")
    .description("Serve an agent over MCP on stdin and stdout until stdin closes")
    .option("--all-projects", "searches look in all Pommel projects on this machine (`pm projects`)")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm mcp -C ~/src/app", "for that project, wherever it starts"],
        ["pm mcp --all-projects", "search code and sessions of all projects"],
        ["claude mcp add pommel -- pm mcp", "have Claude Code start it in every session"],
      )}\n\nIn a directory that is not a project but contains some, it answers for all of them. Its tools: docs/mcp.md.`,
    )
    .action(
      run(async () => {
        const { runMcp } = await import("../mcp/server/run.ts");
        return async ({ cwd }, { allProjects = false }: { allProjects?: boolean }) => {
          // A directory on the command line wins over the one in which the agent was launched.
          if (process.argv.some((arg) => /^(?:-C|--cwd)/.test(arg)))
            for (const name of launchVariables) delete process.env[name];
          await runMcp(cwd, allProjects);
          return new Promise<undefined>(() => {});
        };
      }),
    );
}

export function declareLsp(program: Command): void {
  program
    .command("lsp")
    .description("Serve an editor over the Language Server Protocol on stdin and stdout")
    .option("--stdio", "accepted for editors that pass it; there is no other way")
    .addHelpText(
      "after",
      `${formatExamples(["pm lsp", "an editor starts it; see docs/editors.md for Neovim, Helix, Zed, Emacs and Vim"])}\n\nHover a line to see who wrote it, for which prompt, in which commit.`,
    )
    .action(
      run(async () => {
        const { startLsp } = await import("../lsp/server.ts");
        return async () => {
          startLsp();
          return new Promise<undefined>(() => {});
        };
      }),
    );
}

export function declareStatusline(program: Command): void {
  program
    .command("statusline")
    .description(
      "Print a line about the session for an agent's status line, or about the project for a shell's prompt",
    )
    .option(
      "--prompt",
      "for a shell's prompt: reads no stdin, and prints nothing if there is nothing to show",
    )
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm statusline < status.json", "what Claude Code runs, with its JSON on stdin"],
        ["pm statusline --prompt", "for starship or PS1"],
      )}\n\nAsks a running daemon and starts none. Always exits with 0. Set-up: docs/editors.md.`,
    )
    .action(
      run(async () => {
        const { printStatusline } = await import("../hooks/statusline.ts");
        return (_, { prompt = false }: { prompt?: boolean }) => printStatusline(prompt);
      }),
    );
}

/** Completion scripts call it. */
export function declareComplete(program: Command): void {
  program
    .command("complete", { hidden: true })
    .argument("<source>", "agents, branches, checkpoints, events, packages or sessions")
    .addHelpText(
      "after",
      formatExamples(["pm complete branches", "what completion scripts offer for --branch"]),
    )
    .action(run(async () => (await import("./completion/complete.ts")).completeCommand));
}

export function declareCompletion(program: Command): void {
  program
    .command("completion")
    .description("Print a completion script for your shell")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish", "powershell"]))
    .addHelpText(
      "after",
      `
Install:
  bash  echo 'eval "$(pm completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(pm completion zsh)"' >> ~/.zshrc      (after compinit)
  fish  pm completion fish > ~/.config/fish/completions/pm.fish
  PowerShell  Add-Content $PROFILE 'pm completion powershell | Out-String | Invoke-Expression'
${formatExamples(["pm completion bash", "print the script for bash"])}`,
    )
    .action(run(async () => (await import("./completion/scripts.ts")).completionCommand));
}
