import type { Command } from "commander";
import { distance } from "fastest-levenshtein";
import { PommelError } from "../project/errors.ts";
import { aliasNames, canonical } from "./names.ts";
import { buildProgram } from "./program.ts";
import { ownStreams } from "./terminal/streams.ts";

/** What people type, by what does that here. */
export const meanings: Readonly<Record<string, string>> = {
  search: "find grep rg lookup query ask locate recall",
  why: "explain reason because",
  blame: "annotate who author authors whose",
  session: "history log chat chats conversation conversations transcript transcripts show last",
  review: "diff pr changes changed",
  how: "run commands command howto",
  fix: "error errors debug solve failure",
  note: "remember add save memo remind",
  digest: "summary summarize summarise standup recap today yesterday week report timeline",
  status: "info state health progress ps",
  open: "ui web page dashboard gui serve view",
  browse: "tui less",
  setup: "install hooks agents",
  import: "load ingest",
  config: "settings setting set get configure preferences options",
  projects: "list repos repositories workspaces project ls",
  doctor: "check diagnose repair verify",
  disable: "off pause",
  enable: "on",
  "memory forget": "delete remove rm purge erase clear",
  "memory scrub": "secrets redact clean",
  "memory lost": "undelete recover deleted restore-text",
  "memory export": "dump",
  "code chunk": "function symbol cat",
  "code impact": "callers usages uses references refs dependents affected",
  "code stats": "statistics metrics contributions",
  "checkpoint rewind": "undo revert reset checkout rollback",
  checkpoint: "commit commits snapshot",
  event: "group tag label",
  "daemon start": "up server",
  "daemon stop": "kill down quit",
  "daemon reindex": "index rebuild refresh",
  "daemon queue": "jobs tasks pending",
  "share session": "share-session send publish",
  "share git": "push fetch",
  "share team": "postgres colleagues",
  "session context": "inject prompt injected",
  "session resume": "continue reopen",
  "models list": "model embedders embedding embeddings",
};

/** "pm memory backup" */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

/** A command, the commands in it, and so on. */
export function allCommands(command: Command): Command[] {
  const below = command.createHelp().visibleCommands(command).flatMap(allCommands);
  return command.parent === null ? below : [command, ...below];
}

/** The error for a word that is no command, with what may have been meant: by name, by meaning, by spelling. */
export async function unknownCommand(word: string, group: Command): Promise<PommelError> {
  const meant = await meantBy(word.toLowerCase(), group);
  const hint = meant === null ? `Run \`${helpOf(group)}\`.` : `Did you mean \`${meant}\`?`;
  return new PommelError("usage", `unknown command '${word}'`, hint);
}

const helpOf = (group: Command) => (group.parent === null ? "pm help" : `${pathOf(group)} --help`);

async function meantBy(word: string, group: Command): Promise<string | null> {
  const program = await buildProgram(ownStreams);
  /** What leads to a command, those of the group first. */
  const names: [name: string, path: string][] = [
    ...group.commands.map((one): [string, string] => [one.name(), pathOf(one)]),
    ...aliasNames.map((name): [string, string] => [name, `pm ${canonical([name]).join(" ")}`]),
    ...allCommands(program).map((one): [string, string] => [one.name(), pathOf(one)]),
    ...Object.entries(meanings).flatMap(([path, words]) =>
      words.split(" ").map((name): [string, string] => [name, `pm ${path}`]),
    ),
  ];
  // Two letters in the wrong order are two edits.
  const far = word.length < 5 ? 1 : word.length < 9 ? 2 : 3;
  const ranked = names
    .map(([name, path]) => ({ path, far: distance(name, word) }))
    .filter((one) => one.far <= far)
    // A stable sort: of two as near, the first.
    .sort((a, b) => a.far - b.far);
  return ranked[0]?.path ?? null;
}
