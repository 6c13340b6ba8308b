import { type Command, Option } from "commander";
import { defaultAgentName, setupNames } from "../../agents/profiles.ts";
import { formatExamples, run } from "../../terminal/frame.ts";
import { groupOptions, shared } from "../../terminal/options.ts";

export function declareSetup(program: Command): void {
  const setup = program
    .command("setup")
    .description("Set Pommel up for you, once for all projects")
    .option("--all", "record the sessions and commits of all projects")
    .option("--named", "record only projects in which you run `pm init`")
    .option(
      "--agent <names>",
      `set up these agents, comma separated: ${setupNames.join(", ")} (default: those found)`,
    )
    .option("--allow", "allow agents to call Pommel's tools without asking each time")
    .option("--no-import", "do not import past sessions")
    .option("-n, --dry-run", "only show what would change")
    .option("-y, --yes", "do not ask; record all projects, set up the agents found, import past sessions");
  groupOptions(setup, {
    "What to record": ["all", "named", "no-import"],
    "Which agents": ["agent", "allow"],
  });
  setup
    .addHelpText(
      "after",
      formatExamples(
        ["pm setup", "asks what to record and what to check, then sets up the agents that it finds"],
        ["pm setup --yes", "the same without asking, for all projects"],
        ["pm setup --named", "record only projects in which you run `pm init`"],
        ["pm setup --dry-run", "every change that it would make"],
      ),
    )
    .action(run(async () => (await import("./pm-setup.ts")).setupCommand));
}

export function declareInit(program: Command): void {
  const init = program
    .command("init")
    .description("Record this project, and set up agents in it for you (all projects: pm setup)")
    .option("--languages <ids>", "index only these languages, comma separated (ids, names or extensions)")
    .option(
      "--agent <names>",
      `the agents to set up, comma separated: ${setupNames.join(", ")} (default: ${defaultAgentName})`,
    )
    .option("--hooks", "add hooks to the agents' settings and git, even after pm disable")
    .option("--no-hooks", "do not touch hooks")
    .option("--mcp", "register the MCP server, so that agents can query Pommel")
    .option("--allow", "allow agents to call Pommel's tools without asking each time")
    .option("--instructions", "add a section on Pommel to the file agents read at start")
    .option("--local", "set up agents for you only, in uncommitted files (default)")
    .option("--team", "set up agents for the team, in files to commit")
    .option("--import", "import past sessions of agents in this project")
    .option("--no-import", "do not offer to import past sessions")
    .option("-y, --yes", "do not ask; do everything that it would offer at a terminal")
    .addOption(new Option("--global").hideHelp())
    .option("--start", "start the daemon, which indexes the project")
    .option("--no-start", "do not offer to start the daemon");
  groupOptions(init, {
    "Agents in this project": ["agent", "hooks", "no-hooks", "mcp", "allow", "instructions", "local", "team"],
    "Answers to its questions": ["import", "no-import", "start", "no-start", "yes"],
  });
  init
    .addHelpText(
      "after",
      formatExamples(
        ["pm init", "set up this repository; asks how at a terminal"],
        ["pm init --start --import", "start indexing, and import past sessions"],
        ["pm init --yes", "the same without asking"],
        ["pm init --team", "for everybody who works here: writes agents' files that you commit"],
        ["pm init --agent claude,codex --mcp", "with hooks and the MCP server for two agents"],
        ["pm init --languages go,ts", "index only Go and TypeScript"],
      ),
    )
    .action(run(async () => (await import("./init/pm-init.ts")).initCommand));
}

export function declareEnable(program: Command): void {
  program
    .command("enable")
    .description("Record this project again, with hooks for Claude Code and git (pm init does this too)")
    .option(
      "--local",
      "use .claude/settings.local.json, which only you have, even if the hooks were in the team's files before",
    )
    .option("--claude", "only Claude Code's hooks")
    .option("--git", "only git's hooks")
    .addHelpText(
      "after",
      formatExamples(
        ["pm enable", "add missing hooks to agents' settings and git"],
        ["pm enable --git", "only git's: .git/hooks or core.hooksPath"],
        ["pm enable --local", "only for you, not for the whole team"],
      ),
    )
    .action(run(async () => (await import("./pm-enable.ts")).enableCommand));
}

/** `pm disable` */
export function declareDisable(program: Command): void {
  program
    .command("disable")
    .description("Stop recording, and remove what pm init added to agents' files and git hooks")
    .option("--global", "in all projects, and also undo what pm setup changed in your home")
    .addHelpText(
      "after",
      formatExamples(["pm disable", "nothing more is recorded here; files are as before"]),
    )
    .action(run(async () => (await import("./pm-enable.ts")).disableCommand));
}

export function declareUninstall(program: Command): void {
  program
    .command("uninstall")
    .description("Remove Pommel from all projects and from your home, after showing what will go")
    .option("--dry-run", "only show what would be removed")
    .option("--keep-memory", "keep each project's memory (memory.db)")
    .option(...shared.forGood)
    .option("-y, --yes", "do not ask")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm uninstall --dry-run", "what would go, by project"],
        ["pm uninstall", "remove it, after asking"],
        ["pm uninstall --keep-memory --yes", "for scripts, keeping sessions and notes"],
        ["pm uninstall --for-good", "also the trash, and the backups in backup.folder"],
      )}\n\nThe memories stay in the trash until you run this with --for-good. After a new installation, \`pm memory undo\` brings them back.
Safe to run again. Finally: npm uninstall -g pommel`,
    )
    .action(run(async () => (await import("./pm-uninstall.ts")).uninstallCommand));
}
