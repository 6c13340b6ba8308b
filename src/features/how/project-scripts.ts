import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";
import * as z from "zod/mini";
import { shortenText } from "../../base/text/text-size.ts";

/** A command line that a project's own files define: a script, a task, a step of its checks. */
export interface ProjectScript {
  /** How it is run: `npm run build`; of a workflow the line itself. */
  line: string;
  /** What the file calls it and says of it. */
  title: string;
  /** What it runs; "" where that is another file. */
  body: string;
  /** Relative to the project's root. */
  file: string;
}

/** Bytes of a file that is read, scripts of all files, characters of one. */
const maxSizes = {
  bytes: 256 * 1024,
  scripts: 400,
  body: 400,
  title: 160,
  workflows: 20,
  tasks: 100,
} as const;

/** The scripts that the files at a project's root define. A file that cannot be read defines none. */
export function readProjectScripts(root: string): ProjectScript[] {
  const found = readers.flatMap(([file, read]) => readScripts(root, file, read));
  return [...found, ...readTaskFiles(root), ...readWorkflows(root)]
    .slice(0, maxSizes.scripts)
    .map((script) => ({
      line: script.line,
      title: shortenText(script.title.replace(/\s+/g, " ").trim(), maxSizes.title),
      body: shortenText(script.body.replace(/\s+/g, " ").trim(), maxSizes.body),
      file: script.file,
    }));
}

type ScriptLine = Omit<ProjectScript, "file">;
type ScriptReader = (text: string, root: string) => ScriptLine[];

function readScripts(root: string, file: string, read: ScriptReader): ProjectScript[] {
  const path = join(root, file);
  try {
    if (statSync(path).size > maxSizes.bytes) return [];
    return read(readFileSync(path, "utf8"), root).map((script) => ({ ...script, file }));
  } catch {
    return [];
  }
}

const texts = z.record(z.string(), z.unknown());
const getTable = (value: unknown, ...path: string[]): Record<string, unknown> => {
  const at = path.reduce<unknown>((inner, key) => z.safeParse(texts, inner).data?.[key], value);
  return z.safeParse(texts, at).data ?? {};
};
/** A command, or a list of them. */
const toCommand = (value: unknown): string =>
  Array.isArray(value) ? value.map(toCommand).join("; ") : typeof value === "string" ? value : "";
const getText = (value: unknown, key: string): string => toCommand(getTable(value)[key]);

/** Scripts of a table: a name, and a command or a table with one. */
const namedScripts = (table: Record<string, unknown>, runner: string): ScriptLine[] =>
  Object.entries(table).map(([name, value]) => ({
    line: `${runner} ${name}`,
    title: `${name} ${getText(value, "description") || getText(value, "desc") || getText(value, "help")}`,
    body:
      toCommand(value) ||
      getText(value, "run") ||
      getText(value, "cmd") ||
      getText(value, "cmds") ||
      getText(value, "command"),
  }));

const lockFiles = [
  ["pnpm-lock.yaml", "pnpm run"],
  ["yarn.lock", "yarn run"],
  ["bun.lock", "bun run"],
  ["bun.lockb", "bun run"],
] as const;

const readers: readonly (readonly [file: string, read: ScriptReader])[] = [
  [
    "package.json",
    (text, root) =>
      namedScripts(
        getTable(parseJson(text), "scripts"),
        lockFiles.find(([file]) => existsSync(join(root, file)))?.[1] ?? "npm run",
      ),
  ],
  ["composer.json", (text) => namedScripts(getTable(parseJson(text), "scripts"), "composer run")],
  ["deno.json", (text) => namedScripts(getTable(parseJson(text), "tasks"), "deno task")],
  ["deno.jsonc", (text) => namedScripts(getTable(parseJson(text), "tasks"), "deno task")],
  ...["mise.toml", ".mise.toml"].map(
    (file) => [file, (text: string) => namedScripts(getTable(parseToml(text), "tasks"), "mise run")] as const,
  ),
  [
    "pyproject.toml",
    (text) => {
      const file = parseToml(text);
      return [
        ...namedScripts(getTable(file, "tool", "poe", "tasks"), "poe"),
        ...namedScripts(getTable(file, "tool", "pdm", "scripts"), "pdm run"),
        ...namedScripts(getTable(file, "tool", "taskipy", "tasks"), "task"),
      ];
    },
  ],
  ...["Taskfile.yml", "Taskfile.yaml"].map(
    (file) => [file, (text: string) => namedScripts(getTable(parseYaml(text), "tasks"), "task")] as const,
  ),
  ...["Makefile", "makefile", "GNUmakefile"].map((file) => [file, makeTargets] as const),
  ...["justfile", "Justfile", ".justfile"].map((file) => [file, parseJustRecipes] as const),
];

/** Targets of a Makefile, with what a comment above or a `##` behind them says. */
function makeTargets(text: string): ScriptLine[] {
  return parseRecipes(text, /^([\w][\w./-]*)\s*:(?![=:])[^#\n]*(?:##?\s*(.*))?$/, "make");
}

function parseJustRecipes(text: string): ScriptLine[] {
  return parseRecipes(text, /^@?([a-zA-Z_][\w-]*)(?:\s+[^:\n]*)?:(?!=)[^#\n]*(?:#\s*(.*))?$/, "just");
}

function parseRecipes(text: string, head: RegExp, runner: string): ScriptLine[] {
  const found: ScriptLine[] = [];
  let comment = "";
  for (const line of text.split("\n")) {
    const [, name, said = ""] = head.exec(line) ?? [];
    if (name !== undefined)
      found.push({ line: `${runner} ${name}`, title: `${name} ${said} ${comment}`, body: "" });
    else if (/^\s+\S/.test(line) && found.length > 0)
      found.at(-1)!.body += `${line.trim().replace(/^[@-]+/, "")}; `;
    comment = /^#\s?(.*)/.exec(line)?.[1] ?? "";
  }
  return found;
}

/** mise's tasks that are files of their own: what a task is for stands in a comment at their top. */
function readTaskFiles(root: string): ProjectScript[] {
  return ["mise-tasks", ".mise/tasks", ".mise-tasks"]
    .flatMap((dir) => listFilesBelow(root, dir))
    .flatMap((file) =>
      readScripts(root, file, (text) => {
        const name = file
          .replace(/^(?:mise-tasks|\.mise\/tasks|\.mise-tasks)\//, "")
          .replaceAll("/", ":")
          .replace(/:_default$/, "");
        const said = /^#(?:MISE|\[MISE\]) description="([^"]*)"/m.exec(text)?.[1] ?? "";
        return [{ line: `mise run ${name}`, title: `${name} ${said}`, body: text.replace(/^#.*$/gm, "") }];
      }),
    );
}

function listFilesBelow(root: string, dir: string): string[] {
  try {
    return readdirSync(join(root, dir), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .slice(0, maxSizes.tasks)
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  } catch {
    return [];
  }
}

/** What a project's checks run, by the name of the step. */
function readWorkflows(root: string): ProjectScript[] {
  const dir = ".github/workflows";
  return listFilesBelow(root, dir)
    .filter((file) => /\.ya?ml$/.test(file))
    .slice(0, maxSizes.workflows)
    .flatMap((file) => readScripts(root, file, parseWorkflowSteps));
}

function parseWorkflowSteps(text: string): ScriptLine[] {
  return Object.entries(getTable(parseYaml(text), "jobs")).flatMap(([job, value]) => {
    const { steps } = getTable(value);
    if (!Array.isArray(steps)) return [];
    return steps.flatMap((step): ScriptLine[] => {
      const run = getText(step, "run").trim();
      // A script of several lines is not what a person types.
      return run === "" || run.includes("\n")
        ? []
        : [{ line: run, title: `${getText(step, "name")} ${getText(value, "name") || job}`, body: "" }];
    });
  });
}
