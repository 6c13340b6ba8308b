import { type AndOr, type Command, parse, type Statement, type Word } from "unbash";
import { baseOf, isNoise, nameOf } from "./step-name.ts";

/** The programs that a command line runs, one by one. */

export interface Step {
  /** What it is called by (`step-name.ts`). */
  name: string;
  /** As written, with its environment, without redirections and what only filters its output. */
  text: string;
  /** The same without what differs from run to run: paths, names, numbers. Runs of one form do the same thing. */
  form: string;
  /** Where `cd` (or `git -C`) led from the shell's directory; "" where nothing did. */
  directory: string;
  /** Whether the line's exit status says how it went; it does not in front of a pipe, a `;` or a `||`. */
  decides: boolean;
}

/** A longer line is a script, and no command that somebody runs again. Characters. */
const maxLine = 4000;
/** A longer word is a message, or a script. Characters. */
const maxWord = 120;
/** Steps of a line; more are a script. */
const maxSteps = 8;
/** `bash -c "bash -c ..."`. */
const maxDepth = 3;

/** The steps of a command line, in order, without those that only look, print or move files. */
export function stepsOf(line: string): Step[] {
  if (line.length > maxLine) return [];
  const steps: Step[] = [];
  take(line, { directory: "", decides: true, depth: 0 }, steps);
  return steps.length > maxSteps ? [] : steps;
}

interface Around {
  directory: string;
  decides: boolean;
  depth: number;
}

/** @returns the directory that the line leaves the shell in */
function take(line: string, around: Around, steps: Step[]): string {
  const script = parse(line);
  return script.errors?.length ? around.directory : takeAll(script.commands, around, steps);
}

function takeAll(statements: readonly Statement[], around: Around, steps: Step[]): string {
  let { directory } = around;
  statements.forEach(({ command, background }, i) => {
    const decides = around.decides && i === statements.length - 1 && background !== true;
    directory = takeNode(command, { ...around, directory, decides }, steps);
  });
  return directory;
}

type Node = Statement["command"] | AndOr["commands"][number];

function takeNode(node: Node, around: Around, steps: Step[]): string {
  switch (node.type) {
    case "AndOr": {
      let { directory } = around;
      node.commands.forEach((one, i) => {
        const isChecked = node.operators.slice(i).every((operator) => operator === "&&");
        directory = takeNode(one, { ...around, directory, decides: around.decides && isChecked }, steps);
      });
      return directory;
    }
    case "Pipeline": {
      // Whatever is behind a pipe only filters, unless what is before it only prints.
      const before = steps.length;
      node.commands.forEach((one, i) => {
        if (steps.length > before) return;
        const isLast = i === node.commands.length - 1;
        takeNode(one, { ...around, decides: around.decides && isLast && node.prefixes.length === 0 }, steps);
      });
      return around.directory;
    }
    case "Subshell":
      takeAll(node.body.commands, around, steps);
      return around.directory;
    case "BraceGroup":
      return takeAll(node.body.commands, around, steps);
    case "Redirected":
      return takeNode(node.command, around, steps);
    case "Command":
      return takeCommand(node, around, steps);
    default:
      // Loops and conditions are scripts.
      return around.directory;
  }
}

function takeCommand(command: Command, around: Around, steps: Step[]): string {
  const { directory, decides, depth } = around;
  const words = [command.name, ...command.args].filter((word): word is Word => word?.type === "Word");
  const [program, ...args] = words;
  if (program === undefined) return directory;
  if (program.value === "cd" || program.value === "pushd") return joined(directory, args.at(-1)?.value ?? "");
  const reads = command.redirects.some(({ type }) => type === "HereDoc" || type === "HereString");
  const named = nameOf(words.map(({ value }) => value));
  if (named === null) return directory;
  if (named.script !== null) {
    if (depth < maxDepth) take(named.script, { ...around, depth: depth + 1 }, steps);
    return directory;
  }
  if (isNoise(named.name) || reads || /[$`]/.test(named.name)) return directory;
  const environment = command.prefix.flatMap((one) => (one.type === "Assignment" ? [one.text] : []));
  const texts = words.map(({ text }) => (text.length > maxWord || text.includes("\n") ? '"…"' : text));
  steps.push({
    name: named.name,
    text: [...environment, ...texts].join(" "),
    form: formOf(environment, texts),
    directory: joined(directory, named.directory ?? ""),
    decides,
  });
  return directory;
}

function joined(directory: string, to: string): string {
  if (to === "" || to === ".") return directory;
  // An absolute directory, or one that only the shell knows.
  return /^(?:[/~$\\]|[A-Za-z]:)/.test(to) || directory === "" ? to : `${directory}/${to}`;
}

/** Options are in no order, and how much is printed does not matter. */
function formOf(environment: readonly string[], [program = "", ...args]: readonly string[]): string {
  const names = environment.map((one) => one.replace(/=.*/s, "="));
  const general = args.map(generalised).filter((word) => !printsMore.test(word));
  const options = new Set(general.filter((word) => word.startsWith("-")));
  const words = general.filter((word) => word !== "*" && !options.has(word));
  const isAbout = general.includes("*") ? ["*"] : [];
  return [...names, baseOf(program), ...words, ...[...options].sort(), ...isAbout].join(" ");
}

/** A plain word means something; anything else differs from run to run. */
function generalised(word: string): string {
  const [, flag, value] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (flag !== undefined) return value === undefined || plain.test(value) ? word : `${flag}=*`;
  return plain.test(word) || word === "./..." ? word : "*";
}

const plain = /^[a-z][a-z_:-]*$/;
const printsMore = /^(?:-v|-vv|--verbose|-q|--quiet|--no-color|--color(?:=.*)?|-count=\*|--)$/;
