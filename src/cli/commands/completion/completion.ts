import type { CommandContext } from "../../frame.ts";
import { buildProgram } from "../../program.ts";
import { ownStreams } from "../../terminal/streams.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { powershellScript } from "./powershell.ts";
import { placesOf } from "./tree.ts";
import { zshScript } from "./zsh.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript, powershell: powershellScript };

/** `pm completion <shell>`: the script is made from the program itself, so it cannot lag behind it. */
export async function completionCommand(
  { output }: CommandContext,
  shell: keyof typeof scripts,
): Promise<void> {
  const script = scripts[shell](placesOf(await buildProgram(ownStreams)));
  output.result({ shell, script }, script.trimEnd());
}
