/** Reads command lines as far as hooks need it, which load this: it imports nothing. sessions/commands/steps.ts reads them whole. */

/** The words of a simple command, without their quotes. */
export function splitShellWords(command: string): string[] {
  return [...command.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
}

const hereDocument = /<<-?\s*(['"]?)(\w+)\1[\s\S]*?\n\s*\2(?![\w])/g;

/**
 * The simple commands of a line; what stands in quotes or in a here-document is none.
 * @param separators what ends one
 */
export function splitShellCommands(line: string, separators = "&|;\n(){}"): string[] {
  const commands: string[] = [];
  let [start, quote] = [0, ""];
  const text = line.replace(hereDocument, " ");
  const take = (end: number) => {
    const command = text.slice(start, end).trim();
    if (command !== "") commands.push(command);
    start = end + 1;
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\\" && quote !== "'") i++;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (separators.includes(char)) take(i);
  }
  take(text.length);
  return commands;
}

/** What stands before a program and runs it. */
const wrapper = /^(?:\w+=.*|sudo|time|command|env|nohup|exec|then|do|else|if|!|npx|bunx|rtk)$/;

/** A simple command as its program, without its directory, and its arguments; null where there is none. */
export function readShellCommand(command: string): { program: string; args: string[] } | null {
  const words = splitShellWords(command);
  while (wrapper.test(words[0] ?? "")) words.shift();
  const [program, ...args] = words;
  return program === undefined ? null : { program: program.replace(/^.*\//, ""), args };
}
