import { type AndOr, type Command, parse, type Statement, type Word } from "unbash";
import rules from "./commands.json" with { type: "json" };

/** What a program is called by: with its subcommand, without what wraps it. */
interface NamedProgram {
  /** `npm test`, `go test`, `vitest run`, `node scripts/build.mjs`. */
  name: string;
  /** The directory that an option names. */
  directory: string | null;
  /** The command line that a shell is given: it counts in its place. */
  script: string | null;
}

const matchWhole = (patterns: readonly string[]) => new RegExp(`^(?:${patterns.join("|")})$`);

/** Words in front of a program, with how many words of their own they take. */
const wrappers: Readonly<Record<string, number>> = rules.wrappers;
/** The same in two words. */
const runners = new Set(rules.runners);
/** Options of wrappers and of programs that take the next word. */
const withValue = matchWhole(rules.optionsWithValue);

const shells = new Set(rules.shells);
const interpreters = new Set([...rules.interpreters, ...rules.shells]);
/** Code in the line itself is not run again. */
const inline = /^(?:-|-e|-c|-p|--eval|--print)$/;

/** Programs whose subcommands have two words, or are what is run: `npm run build`. */
const deep = matchWhole(rules.longSubcommands);
const subcommand = /^[a-z][a-z0-9_:.-]*$/;
/** Programs whose first word is what they work on. */
const flat = matchWhole(rules.withoutSubcommand);

/** @param words without their quotes @returns null for what is no program */
function nameProgram(words: readonly string[]): NamedProgram | null {
  let rest = [...words];
  let directory: string | null = null;
  for (;;) {
    const [first = "", second = ""] = rest;
    const own = Object.hasOwn(wrappers, first) ? wrappers[first]! : null;
    if (own === null && !runners.has(`${first} ${second}`)) break;
    rest = rest.slice(own === null ? 2 : 1);
    const options = rest.findIndex((word, i) => !isOption(word) && !withValue.test(rest[i - 1] ?? ""));
    rest = options === -1 ? [] : rest.slice(options + (own ?? 0));
  }
  const [program = "", ...given] = rest;
  if (program === "" || /^[^\w./~@+-]/.test(program)) return null;
  const base = stripInstallPath(program);
  const args: string[] = [];
  for (let i = 0; i < given.length; i++) {
    const word = given[i]!;
    if (shells.has(base) && /^-\w*c$/.test(word) && given[i + 1] !== undefined) {
      return { name: base, directory, script: given[i + 1]! };
    }
    if (interpreters.has(base) && inline.test(word)) return null;
    if (/^python/.test(base) && word === "-m") {
      const found = nameProgram(given.slice(i + 1));
      return found && { ...found, directory };
    }
    if (word === "--") continue;
    const isDirectory = (base === "git" && word === "-C") || word === "--prefix" || word === "--cwd";
    if (isDirectory) directory = given[i + 1] ?? null;
    if (word.startsWith("-") && args.length < 2 && !word.includes("=") && withValue.test(word)) i++;
    else if (!word.startsWith("-")) args.push(word);
  }
  return { name: [base, ...findSubcommands(base, args)].join(" "), directory, script: null };
}

const isOption = (word: string) => word.startsWith("-") || /^\w+=/.test(word);

function findSubcommands(base: string, [first, second]: readonly string[]): string[] {
  if (first === undefined) return [];
  if (interpreters.has(base) && !(["bun", "deno"].includes(base) && subcommand.test(first))) {
    return /^[\w@./-]+$/.test(first) ? [first.replace(/^\.\//, "")] : [];
  }
  if (flat.test(base) || !subcommand.test(first)) return [];
  if (base === "npm" && (first === "t" || first === "tst")) return ["test"];
  if (second !== undefined && deep.test(`${base} ${first}`) && subcommand.test(second)) {
    const isShort = base === "npm" && /^(?:test|start|stop)$/.test(second);
    return isShort ? [second] : [first, second];
  }
  // `go run ./cmd/x`: what is run is its name.
  if (second !== undefined && base === "go" && first === "run") return [first, second];
  return [first];
}

/** A program's name without where it is installed; a script of the project keeps its path. */
function stripInstallPath(program: string): string {
  const isInstalled = /^(?:[/~]|[A-Za-z]:)|node_modules\/\.bin\/|(?:^|\/)\.?venv\/|\/bin\//.test(program);
  const path = program.replace(/^(?:\.\/)+/, "");
  return isInstalled ? path.slice(path.lastIndexOf("/") + 1) : path;
}

const looking = new Set(rules.looks);
const lookingGit = new RegExp(`^git(?: (?:${rules.looksInGit.join("|")}))?$`);

/** PowerShell's own commands look, filter, set and move, but for those that run or install something. */
const powerShellHelper = /^(?!(?:Invoke|Install|Publish|Build|Start|Update)-)[A-Z][a-z]+-[A-Z]\w+$/;

/** Whether a program only looks, prints or moves files about: how it is run is no knowledge of a project. */
function isNoise(name: string): boolean {
  const [program = ""] = name.split(" ", 1);
  return (
    looking.has(program) ||
    lookingGit.test(name) ||
    powerShellHelper.test(program) ||
    program === "pm" ||
    program === "pommel" ||
    shells.has(name)
  );
}

/** The programs that a command line runs, one by one. */

export interface CommandStep {
  /** What it is called by. */
  name: string;
  /** As written, with its environment, without redirections and what only filters its output. */
  text: string;
  /** The same without what differs from run to run: paths, names, numbers. Runs of one form do the same thing. */
  form: string;
  /** The form as a person would write it, in the order of this line: `go test … -run=…`. */
  shape: string;
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
export function parseSteps(line: string): CommandStep[] {
  if (line.length > maxLine) return [];
  const steps: CommandStep[] = [];
  take(line, { directory: "", decides: true, depth: 0, functions: new Set() }, steps);
  return steps.length > maxSteps ? [] : steps;
}

interface ShellContext {
  directory: string;
  decides: boolean;
  depth: number;
  /** Functions that the line itself defines: no programs. */
  functions: ReadonlySet<string>;
}

/** @returns the directory that the line leaves the shell in */
function take(line: string, around: ShellContext, steps: CommandStep[]): string {
  const script = parse(line);
  if (script.errors?.length) return around.directory;
  const defined = script.commands.flatMap(({ command }) =>
    command.type === "Function" ? [command.name.value] : [],
  );
  return takeAll(
    script.commands,
    { ...around, functions: new Set([...around.functions, ...defined]) },
    steps,
  );
}

function takeAll(statements: readonly Statement[], around: ShellContext, steps: CommandStep[]): string {
  let { directory } = around;
  statements.forEach(({ command, background }, i) => {
    const decides = around.decides && i === statements.length - 1 && background !== true;
    directory = takeNode(command, { ...around, directory, decides }, steps);
  });
  return directory;
}

type Node = Statement["command"] | AndOr["commands"][number];

function takeNode(node: Node, around: ShellContext, steps: CommandStep[]): string {
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

const changesDirectory = /^(?:cd|pushd|Set-Location|Push-Location|sl)$/i;

function takeCommand(command: Command, around: ShellContext, steps: CommandStep[]): string {
  const { directory, decides, depth } = around;
  const words = [command.name, ...command.args].filter((word): word is Word => word?.type === "Word");
  const [program, ...args] = words;
  if (program === undefined) return directory;
  if (changesDirectory.test(program.value)) return joinDirectory(directory, args.at(-1)?.value ?? "");
  const reads = command.redirects.some(({ type }) => type === "HereDoc" || type === "HereString");
  const named = nameProgram(words.map(({ value }) => value));
  if (named === null) return directory;
  if (named.script !== null) {
    if (depth < maxDepth) take(named.script, { ...around, depth: depth + 1 }, steps);
    return directory;
  }
  if (isNoise(named.name) || around.functions.has(program.value) || reads || /[$`]/.test(named.name))
    return directory;
  const environment = command.prefix.flatMap((one) => (one.type === "Assignment" ? [one.text] : []));
  const texts = words.map(({ text }) => (text.length > maxWord || text.includes("\n") ? '"…"' : text));
  const general = generalWords(texts);
  steps.push({
    name: named.name,
    text: [...environment, ...texts].join(" "),
    form: buildCommandForm(environment, general),
    shape: buildCommandShape(environment, general),
    directory: joinDirectory(directory, named.directory ?? ""),
    decides,
  });
  return directory;
}

function joinDirectory(directory: string, to: string): string {
  if (to === "" || to === ".") return directory;
  // An absolute directory, or one that only the shell knows.
  return /^(?:[/~$\\]|[A-Za-z]:)/.test(to) || directory === "" ? to : `${directory}/${to}`;
}

/** A line's words without what differs from run to run, which is `*`; without what only says how much is printed. */
function generalWords([program = "", ...args]: readonly string[]): string[] {
  const base = stripInstallPath(program);
  const general: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i]!;
    const next = args[i + 1];
    // Where it runs is the step's directory.
    if (base === "git" && word === "-C") i++;
    else if (base === "go" && goValues.test(word) && next !== undefined) {
      general.push(`${word}=${word === "-o" ? "*" : generaliseWord(next)}`);
      i++;
    } else general.push(generaliseWord(word));
  }
  return [base, ...general.filter((word) => !printsMore.test(word))];
}

/** Options of Go that take the next word, or a word behind "=". */
const goValues = new RegExp(`^-(?:${rules.goOptionsWithValue.join("|")})$`);

const listVariableNames = (environment: readonly string[]) =>
  environment.map((one) => one.replace(/=.*/s, "="));

/** Options are in no order, and how much is printed does not matter. */
function buildCommandForm(
  environment: readonly string[],
  [program = "", ...general]: readonly string[],
): string {
  const options = new Set(general.filter((word) => word.startsWith("-")));
  const words = general.filter((word) => word !== "*" && !options.has(word));
  const isAbout = general.includes("*") ? ["*"] : [];
  return [...listVariableNames(environment), program, ...words, ...[...options].sort(), ...isAbout].join(" ");
}

function buildCommandShape(environment: readonly string[], general: readonly string[]): string {
  const words = general.map((word) => word.replace(/\*$/, "…"));
  const isRepeated = (word: string, i: number) => word === "…" && words[i - 1] === "…";
  return [
    ...listVariableNames(environment).map((name) => `${name}…`),
    ...words.filter((word, i) => !isRepeated(word, i)),
  ].join(" ");
}

/** A plain word means something; anything else differs from run to run. */
function generaliseWord(word: string): string {
  const [, flag, value] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? [];
  if (flag !== undefined) return value === undefined || plain.test(value) ? word : `${flag}=*`;
  return plain.test(word) || word === "./..." ? word : "*";
}

const plain = /^[a-z][a-z_:-]*$/;
const printsMore = matchWhole(rules.printsMore);
