import { actWeights, happeningWeights, humanWeights, type Plan } from "../weights.ts";
import type { Habits } from "./habits.ts";

/** Everyday situations in which evidence is late, elsewhere, or wrong. */
export interface Situation {
  name: string;
  plan: Plan;
  habits: Partial<Habits>;
}

interface More {
  /** Besides plain work. */
  acts?: Readonly<Record<string, number>>;
  humans?: Readonly<Record<string, number>>;
  happenings?: Readonly<Record<string, number>>;
  happen?: number;
  habits?: Partial<Habits>;
}

const plainActs = {
  edit: 12,
  "multi-edit": 2,
  write: 4,
  "write-over": 1.5,
  "hook-formats": 1,
  heredoc: 1.5,
  undo: 0.5,
};

function situation(
  name: string,
  { acts = {}, humans = {}, happenings = {}, happen, habits = {} }: More = {},
): Situation {
  const happenAt = happen ?? (Object.keys(happenings).length > 0 ? 0.18 : 0);
  return {
    name,
    plan: {
      acts: Object.entries({ ...plainActs, ...acts }),
      humans: Object.entries({ ...humanWeights, ...humans }),
      happenings: Object.entries(happenings),
      happen: happenAt,
    },
    habits,
  };
}

const hours =
  (from: number, to: number): Habits["clockMs"] =>
  (random) =>
    random.int(from * 3600, to * 3600) * 1000;
const { append, generator, sed, formatter } = actWeights;
const commands = { append: append!, generator: generator!, sed: sed!, formatter: formatter! };
/** Clients other than Claude Code have no notebooks in these transcripts, and nothing is gone back from. */
const otherClient = { ...commands, "git-mv": 1, "agent-moves": 1, "agent-commits": 2 };

export const situations: readonly Situation[] = [
  situation("plain", { acts: commands }),
  situation("permission first", { habits: { permission: [2, 240] } }),
  situation("slow hooks", { habits: { hooks: [3, 40] }, acts: { "hook-formats": 6 } }),
  situation("slow hooks, human works on", {
    habits: { hooks: [5, 40], humanDuringHooks: 0.4 },
    acts: { "hook-formats": 3 },
  }),
  situation("clock ahead by minutes", { habits: { clockMs: hours(0.02, 0.5) } }),
  situation("clock ahead by hours", { habits: { clockMs: hours(1, 9) }, acts: commands }),
  situation("clock behind by minutes", { habits: { clockMs: hours(-0.5, -0.02) } }),
  situation("clock behind by hours", { habits: { clockMs: hours(-9, -1) }, acts: commands }),
  situation("git apply", { acts: { "git-apply": 10 } }),
  situation("pieces moved", { acts: { "piece-moved": 10 } }),
  situation("background commands", { acts: { background: 8 } }),
  situation("package managers", { acts: { "agent-installs": 8 }, humans: { "human-installs": 4 } }),
  situation("agent commits", {
    acts: {
      "agent-commits": 6,
      "write-and-commit": 4,
      "generate-and-commit": 3,
      generator: 4,
      "agent-amends": 1,
    },
    habits: { commits: 0.04 },
  }),
  situation("agent commits, slow hooks", {
    acts: { "agent-commits": 6, "write-and-commit": 4, generator: 2 },
    habits: { commits: 0.04, hooks: [2, 20] },
  }),
  situation("heredoc and script", { acts: { heredoc: 5, append: 4, "script-writes": 6 } }),
  situation("commands, mixed", {
    acts: { ...commands, "git-apply": 2, "piece-moved": 2, background: 1, "agent-installs": 1 },
  }),
  situation("shell of another name", {
    acts: { heredoc: 5, generator: 4, sed: 3, "write-and-commit": 2 },
    habits: {
      shell: [
        ["mcp__shell__execute", "command"],
        ["run_terminal_cmd", "command"],
        ["PowerShell", "command"],
        ["mcp__term__run", "cmd"],
        ["execute", "script"],
      ],
    },
  }),
  situation("tools of another name", { acts: { "other-tool": 12 } }),
  situation("tools that say nothing", {
    acts: { "mcp-renames": 6, "mcp-rewrites": 6, "edit-without-patch": 4, "mcp-writes-many": 3 },
  }),
  situation("copies by an agent", {
    acts: { "agent-copies": 7, "agent-copies-in": 3, "agent-checks-out": 5 },
  }),
  situation("formatted by a script", { acts: { "formats-by-script": 8, sed: 4 } }),
  situation("late commits", { acts: commands, happenings: { "late-commit": 1 }, habits: { commits: 0.03 } }),
  situation("two agents at once", {
    acts: { "beside-another": 10, generator: 3, sed: 2, formatter: 0.5 },
    habits: { sessions: 3 },
  }),
  situation("squash merges", { acts: commands, happenings: { "squash-merge": 3, squash: 1 }, happen: 0.3 }),
  situation("rebases and picks", {
    acts: commands,
    happenings: { rebase: 2, "cherry-pick": 2, merge: 1 },
    happen: 0.25,
  }),
  situation("agent and human in the same seconds", { acts: { "human-beside": 14 } }),
  situation("notebooks", {
    acts: { notebook: 4, "notebook-cell": 14, edit: 4 },
    humans: { "human-notebook": 24 },
  }),
  situation("notebooks, cells as one text", {
    acts: { notebook: 3, "notebook-text-cell": 14, edit: 4 },
    humans: { "human-notebook": 12, "human-resaves-notebook": 12 },
  }),
  situation("slow daemon", { acts: commands, habits: { watcherDelay: 45 } }),
  situation("daemon down", { acts: commands, happenings: { "daemon-down": 1 }, happen: 0.12 }),
  situation("everything", {
    acts: {
      ...actWeights,
      "git-apply": 2,
      "piece-moved": 2,
      "human-beside": 3,
      "agent-installs": 1,
      "write-and-commit": 2,
    },
    humans: { "human-notebook": 1, "human-installs": 0.5 },
    happenings: happeningWeights,
    happen: 0.2,
    habits: { hooks: [0, 12], permission: [0, 20], watcherDelay: 5 },
  }),
  situation("renamed in an editor", { acts: commands, humans: { "human-renames-name": 8 } }),
  situation("renamed by an agent", { acts: { ...commands, "sed-everywhere": 7 } }),
  situation("pasted from replies", { acts: { "reply-pasted": 10 } }),
  situation("human generates", { acts: commands, humans: { "human-generates": 6 } }),
  situation("line ends", { acts: commands, humans: { "human-changes-line-ends": 8 } }),
  situation("format on save", { acts: commands, humans: { "format-on-save": 12, "edit-and-format": 10 } }),
  situation("files split", { acts: commands, humans: { "human-splits-file": 8 } }),
  situation("agent stashes and reverts", {
    acts: { ...commands, "agent-stashes": 7, "agent-reverts": 2, "agent-commits": 2 },
  }),
  situation("servers in the background", { acts: { ...commands, "dev-server": 6 } }),
  situation("stashes, reverts, worktrees", {
    acts: commands,
    happenings: { stash: 2, revert: 2, worktree: 2, amend: 1, pull: 1 },
    happen: 0.25,
  }),
  ...(
    [
      ["approval: a person types before a command", "types-before-approval"],
      ["approval: a person types before an edit", "types-before-edit"],
      ["long command: a person types", "types-during-long-command"],
      ["long command: formatted on save", "formats-during-long-command"],
      ["long command: renamed in an editor", "renames-during-long-command"],
      ["long command: stashed and back", "stash-during-long-command"],
      ["long command: undone and redone", "undo-and-redo"],
      ["long command: copied between files", "copies-during-long-command"],
      ["long command beside a server", "server-and-tests"],
      ["writing command goes on", "types-into-generated"],
      ["a person's patch", "applies-a-persons-patch"],
      ["generators that name nothing", "generates-unnamed"],
      ["installs behind a command", "installs-behind"],
      ["calls cut off", "cut-off"],
      ["results in a later turn", "answered-later"],
      ["hooks that write", "hook-writes"],
    ] as const
  ).map(([name, act]) => situation(name, { acts: { ...commands, [act]: 10 } })),
  situation("long command: notebook", {
    acts: { notebook: 4, "notebook-during-long-command": 10 },
  }),
  situation("agent in a container", {
    acts: { ...commands, "types-during-long-command": 2 },
    habits: { mount: "/workspace", clockMs: hours(-0.05, 0.05) },
  }),
  situation("two agents at once, long commands", {
    acts: { "beside-another": 6, "types-during-long-command": 6, "types-before-approval": 3 },
    habits: { sessions: 3 },
  }),
  situation("Codex", { acts: otherClient, habits: { client: "codex" } }),
  situation("Gemini", { acts: otherClient, habits: { client: "gemini" } }),
];
