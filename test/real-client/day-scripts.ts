import { cue, type Script } from "./mock-api.ts";

/** A day of two agents: one in the repository, one in a worktree of it, ten prompts each. */

/** What both begin with. */
export const sources = {
  "src/parse.ts": `export function parse(text: string): string[] {
  const lines = text.split("\\n");
  return lines.filter((line) => line !== "");
}
`,
  "src/load.ts": `import { parse } from "./parse";

export function load(text: string): number {
  const found = parse(text);
  return found.length;
}
`,
  "src/report.ts": `export function formatTitle(name: string): string {
  const title = name.trim();
  return \`# \${title}\`;
}

export function formatFooter(count: number): string {
  const noun = count === 1 ? "line" : "lines";
  return \`\${count} \${noun}\`;
}
`,
} as const;

export type Who = "Ada" | "Bert";

/** What has come so far that the next prompt is about. */
export type Awaited = "the rule" | "the dead end" | "Ada's change" | "Ada's commit";

export interface Hour {
  who: Who;
  prompt: string;
  script: Script;
  /** What the agent is told; nothing without it. */
  told?: RegExp;
  /** What Pommel has to know before. */
  after?: Awaited;
}

const run = (command: string) =>
  [{ type: "tool_use", name: "Bash", input: { command, description: "Run" } }] as const;
const done = [{ type: "text", text: "Done." }] as const;

/** @param at where an agent is */
export function planDay(at: Readonly<Record<Who, string>>): Hour[] {
  const read = (who: Who) =>
    Object.keys(sources).map(
      (path) => [{ type: "tool_use", name: "Read", input: { file_path: `${at[who]}/${path}` } }] as const,
    );
  const edit = (who: Who, path: keyof typeof sources, old_string: string, new_string: string) =>
    [
      {
        type: "tool_use",
        name: "Edit",
        input: { file_path: `${at[who]}/${path}`, old_string, new_string },
      },
    ] as const;
  return [
    {
      who: "Ada",
      prompt: "Read the parser, and what uses it.",
      script: [...read("Ada"), done],
    },
    {
      who: "Bert",
      prompt: "What is not committed yet?",
      script: [run("git status --stat"), run("git status --short"), done],
    },
    { who: "Ada", prompt: "How long are the sources?", script: [run("wc -l src/*.ts"), done] },
    { who: "Bert", prompt: "Read the parser and what uses it.", script: [...read("Bert"), done] },
    {
      who: "Ada",
      prompt: "Is anything left over from yesterday?",
      script: [run("git status --stat"), run("git status --short"), done],
      told: /Dead end: “git status --stat” failed 1 time \(“error: unknown option `stat'”\), and never worked here\. What worked then: “git status --short”/,
      after: "the dead end",
    },
    {
      who: "Ada",
      prompt: "Let the parser take a strict flag.",
      script: [edit("Ada", "src/parse.ts", "text: string)", "text: string, strict: boolean)"), done],
    },
    {
      who: "Bert",
      prompt: "Leave out lines of spaces as well.",
      script: [edit("Bert", "src/parse.ts", 'line !== ""', 'line.trim() !== ""'), done],
      told: /Another session \[\w{8}\] changed `parse\(\)` in worktree repo .*: its new signature is “export function parse\(text: string, strict: boolean\): string\[\]”/,
      after: "Ada's change",
    },
    {
      who: "Bert",
      prompt: "Let the loader count the end, too.",
      script: [edit("Bert", "src/load.ts", "found.length", "found.length + 1"), done],
      told: /Another session \[\w{8}\] changed `parse\(\)`, which `load\(\)` calls, in worktree repo/,
    },
    {
      who: "Ada",
      prompt: "Write titles in capitals.",
      script: [edit("Ada", "src/report.ts", "name.trim()", "name.trim().toUpperCase()"), done],
    },
    {
      who: "Bert",
      prompt: "Call them rows in the footer.",
      script: [edit("Bert", "src/report.ts", '"line" : "lines"', '"row" : "rows"'), done],
    },
    {
      who: "Bert",
      prompt: "Say above the title what it is for.",
      script: [
        edit("Bert", "src/report.ts", "  const title", "  // The first line of a report.\n  const title"),
        done,
      ],
    },
    { who: "Ada", prompt: "Commit what you have.", script: [run("git commit -qam 'Parse strictly'"), done] },
    {
      who: "Bert",
      prompt: "Put a second mark before the title.",
      script: [edit("Bert", "src/report.ts", "`# $", "`## $"), done],
      after: "Ada's commit",
    },
    {
      who: "Ada",
      prompt: "That is all for the parser. Wrap it up.",
      script: [run("git push -q origin HEAD:main"), done],
      told: /The user's rule: “never push to main” \(about: git push -q origin HEAD:main\)\.\nIt was not run\./,
      after: "the rule",
    },
    { who: "Ada", prompt: "Push your own branch.", script: [run("git push -q origin importer"), done] },
    { who: "Bert", prompt: "Commit your work.", script: [run("git commit -qam 'Report rows'"), done] },
    {
      who: "Bert",
      prompt: "Did anybody write of main?",
      script: [run("git log --oneline --grep 'push to main'"), done],
    },
    { who: "Ada", prompt: "How much was it?", script: [run("git diff --stat HEAD~1"), done] },
    {
      who: "Bert",
      prompt: "Leave a reminder for tomorrow.",
      script: [run("echo 'ask before: git push origin main' > TOMORROW"), done],
    },
    { who: "Ada", prompt: "Thank you, until tomorrow.", script: [done] },
  ];
}

/** The prompt of an hour as the client gets it, and the scripts by their names. */
export const cuedPrompt = ({ prompt }: Hour, hour: number): string => `${prompt} ${cue(`hour-${hour}`)}`;

export const dayScripts = (day: readonly Hour[]): Record<string, Script> =>
  Object.fromEntries(day.map(({ script }, hour) => [`hour-${hour}`, script]));
