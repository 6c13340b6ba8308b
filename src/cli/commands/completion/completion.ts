import type { Command } from "commander";
import type { CommandContext } from "../../frame.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { placesOf } from "./tree.ts";
import { zshScript } from "./zsh.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export type Shell = keyof typeof scripts;

/** `pm completion <shell>`: the script is made from the program itself, so it cannot lag behind it. */
export async function completionCommand(
  { output }: CommandContext,
  shell: Shell,
  program: Command,
): Promise<void> {
  const script = scripts[shell](placesOf(program));
  output.result({ shell, script }, script.trimEnd());
}
