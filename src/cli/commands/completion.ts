import type { Command } from "commander";
import { bashScript } from "../completion/bash.ts";
import { fishScript } from "../completion/fish.ts";
import { placesOf } from "../completion/tree.ts";
import { zshScript } from "../completion/zsh.ts";
import type { CommandContext } from "../frame.ts";

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
