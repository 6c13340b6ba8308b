import { Argument, type Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm complete`, which completion scripts call: options and help; the code is loaded when it runs. */
export function declareComplete(program: Command): void {
  program
    .command("complete", { hidden: true })
    .argument("<source>", "agents, branches, checkpoints, events, packages or sessions")
    .addHelpText("after", examples(["pm complete branches", "what completion scripts offer for --branch"]))
    .action(run(async () => (await import("./complete.ts")).completeCommand));
}

/** `pm completion` */
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
${examples(["pm completion bash", "print the script for bash"])}`,
    )
    .action(run(async () => (await import("./completion.ts")).completionCommand));
}
