import { Argument, type Command } from "commander";
import { agentNames, defaultAgentName } from "../../agents/profiles.ts";
import type { Shell } from "../commands/completion/completion.ts";
import { examples, run } from "../frame.ts";
import { positiveInteger } from "./values.ts";

/** The commands that set up a project and look after it. */
export function declareProjectCommands(program: Command): void {
  program
    .command("init")
    .description("Set up Pommel in this repository, or in a directory without git")
    .option("--languages <ids>", "index only these languages, comma separated (ids, names or extensions)")
    .option(
      "--agent <names>",
      `the agents to set up, comma separated: ${agentNames.join(", ")} (default: ${defaultAgentName})`,
    )
    .option("--hooks", "add hooks to the agents' settings and git, even after pm disable")
    .option("--no-hooks", "do not touch hooks")
    .option("--mcp", "register the MCP server, so that agents can query Pommel")
    .option("--allow", "allow agents to call Pommel's tools without asking each time")
    .option("--instructions", "add a section on Pommel to the file agents read at start")
    .option("--local", "set up agents for you only, in uncommitted files")
    .option("--team", "set up agents for the team, in files to commit (default without a terminal)")
    .option("--import", "import past sessions of agents in this project")
    .option("--no-import", "do not offer to import past sessions")
    .option("-y, --yes", "hooks, --mcp, --allow and --instructions for every agent used here, without asking")
    .option("--global", "set up your agents for all projects, in your home; creates no project")
    .option("--start", "start the daemon, which indexes the project")
    .option("--no-start", "do not offer to start the daemon")
    .addHelpText(
      "after",
      examples(
        ["pm init", "set up this repository; asks how at a terminal"],
        ["pm init --start --import", "start indexing, and import past sessions"],
        ["pm init --local", "agents' hooks for you only, not committed"],
        ["pm init --yes", "everything for the agents you use"],
        ["pm init --agent claude,codex --mcp", "with hooks and the MCP server for two agents"],
        ["pm init --global --yes", "your agents in all projects"],
        ["pm init --languages go,ts", "index only Go and TypeScript"],
      ),
    )
    .action(run(async () => (await import("../commands/init/init.ts")).initCommand));

  declareConfig(program);

  program
    .command("doctor")
    .description("Check this machine and project, with a fix for each problem")
    .option("--fix", "repair what can be repaired safely (permissions, stale files)")
    .addHelpText(
      "after",
      examples(["pm doctor", "check everything"], ["pm doctor --fix", "repair what can be repaired safely"]),
    )
    .action(run(async () => (await import("../commands/doctor/doctor.ts")).doctorCommand));

  program
    .command("version")
    .description("Print the versions of Pommel, its runtime and the running daemon")
    .addHelpText("after", examples(["pm version", "for a bug report"], ["pm --version", "Pommel's alone"]))
    .action(run(async () => (await import("../commands/daemon/version.ts")).versionCommand));

  program
    .command("bench")
    .description("Measure how well search finds your own code, using its doc comments and commits")
    .option(
      "-q, --queries <count>",
      "at most this many questions of each kind (default: 100)",
      positiveInteger,
    )
    .option("--model <embedder>", "measure this embedder instead of the configured one")
    .option("--misses", "print the worst misses")
    .addHelpText(
      "after",
      examples(
        ["pm bench", "100 doc comments and 100 commits, lexical, semantic and hybrid"],
        ["pm bench --queries 300 --misses", "more questions, and the misses"],
        ["pm bench --model ollama/bge-m3", "with another model"],
        ["pm bench --json > before.json", "to compare later"],
      ),
    )
    .action(run(async () => (await import("../commands/bench/bench.ts")).benchCommand));

  program
    .command("complete", { hidden: true })
    .argument("<source>", "agents, branches, checkpoints, events or sessions")
    .addHelpText("after", examples(["pm complete branches", "what completion scripts offer for --branch"]))
    .action(run(async () => (await import("../commands/completion/complete.ts")).completeCommand));

  program
    .command("completion")
    .description("Print a completion script for your shell")
    .addArgument(new Argument("<shell>", "the shell").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      `
Install:
  bash  echo 'eval "$(pm completion bash)"' >> ~/.bashrc
  zsh   echo 'eval "$(pm completion zsh)"' >> ~/.zshrc      (after compinit)
  fish  pm completion fish > ~/.config/fish/completions/pm.fish
${examples(["pm completion bash", "print the script for bash"])}`,
    )
    .action(
      run(async () => {
        const { completionCommand } = await import("../commands/completion/completion.ts");
        return (context, shell: Shell) => completionCommand(context, shell, program);
      }),
    );
}

function declareConfig(program: Command): void {
  const config = program
    .command("config")
    .description("Read and change settings (listed in docs/configuration.md)")
    .addHelpText(
      "after",
      examples(
        ["pm config", "every setting, its value and where it comes from"],
        ["pm config get search.limit", "one value"],
        ["pm config set search.limit 20", "for this project"],
        ['pm config set index.exclude "dist/**,*.min.js"', "a list, comma separated"],
        ["pm config set --global daemon.port 7420", "for all your projects"],
        ["pm config unset search.limit", "back to the global or default value"],
      ),
    );
  const globalOption = ["--global", "your own settings, for all projects"] as const;

  config
    .command("list", { isDefault: true })
    .description("Print every setting with its value and where it comes from")
    .argument("[prefix]", "only settings with this prefix")
    .option(...globalOption)
    .addHelpText("after", examples(["pm config list index", "the settings of [index]"]))
    .action(run(async () => (await import("../commands/config/config.ts")).configListCommand));

  config
    .command("get")
    .description("Print the value of a setting")
    .argument("<key>", "the setting, such as search.limit")
    .option(...globalOption)
    .addHelpText("after", examples(["pm config get search.limit", "prints 10"]))
    .action(run(async () => (await import("../commands/config/config.ts")).configGetCommand));

  config
    .command("set")
    .description("Change a setting; the file's comments and order are kept")
    .argument("<key>", "the setting, such as search.limit")
    .argument("<value>", "a number, true or false, a word, or a comma separated list")
    .option(...globalOption)
    .addHelpText("after", examples(["pm config set search.limit 20", "for this project"]))
    .action(run(async () => (await import("../commands/config/config.ts")).configSetCommand));

  config
    .command("unset")
    .description("Remove a setting from the file: back to the default")
    .argument("<key>", "the setting, such as search.limit")
    .option(...globalOption)
    .addHelpText("after", examples(["pm config unset search.limit", "back to the default"]))
    .action(run(async () => (await import("../commands/config/config.ts")).configUnsetCommand));
}
