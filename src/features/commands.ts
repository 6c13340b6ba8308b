import type { Command } from "commander";
import { formatExamples } from "../terminal/frame.ts";

/** Adds commands to `pm`, or to a group of it: options and help. Their code is loaded when they run. */
type DeclareCommand = (parent: Command) => void;
/** Loads a declaration: a start pays for those of one command alone. */
type LoadDeclaration = () => Promise<DeclareCommand>;

/** The commands of `pm` by what they are for, in the order in which help lists them. */
export const commandSections: Readonly<Record<string, Readonly<Record<string, LoadDeclaration>>>> = {
  "Every day": {
    search: async () => (await import("./search/command.ts")).declareSearch,
    why: async () => (await import("./why/command.ts")).declareWhy,
    blame: async () => (await import("./blame/command.ts")).declareBlame,
    session: () => loadGroup("session"),
    review: async () => (await import("./review/command.ts")).declareReview,
    radar: async () => (await import("./radar/command.ts")).declareRadar,
    undo: async () => (await import("./undo/command.ts")).declareUndo,
    recall: async () => (await import("./recall/command.ts")).declareRecall,
    how: async () => (await import("./how/command.ts")).declareHow,
    fix: async () => (await import("./fix/command.ts")).declareFix,
    "dead-ends": async () => (await import("./dead-ends/command.ts")).declareDeadEnds,
    rules: async () => (await import("./rules/command.ts")).declareRules,
    note: async () => (await import("./notes/command.ts")).declareNote,
    digest: async () => (await import("./digest/command.ts")).declareDigest,
    cost: async () => (await import("./cost/command.ts")).declareCost,
    status: async () => (await import("./status/command.ts")).declareStatus,
    open: async () => (await import("./page/command.ts")).declareOpen,
    browse: async () => (await import("./browse/command.ts")).declareBrowse,
  },
  "Set up": {
    demo: async () => (await import("./demo/command.ts")).declareDemo,
    setup: async () => (await import("./setup/command.ts")).declareSetup,
    init: async () => (await import("./setup/command.ts")).declareInit,
    import: async () => (await import("./import/command.ts")).declareImport,
    config: async () => (await import("./settings/command.ts")).declareConfig,
    projects: async () => (await import("./projects/command.ts")).declareProjects,
    doctor: async () => (await import("./doctor/command.ts")).declareDoctor,
    enable: async () => (await import("./setup/command.ts")).declareEnable,
    disable: async () => (await import("./setup/command.ts")).declareDisable,
    uninstall: async () => (await import("./setup/command.ts")).declareUninstall,
  },
  Groups: {
    memory: () => loadGroup("memory"),
    code: () => loadGroup("code"),
    checkpoint: () => loadGroup("checkpoint"),
    event: async () => (await import("./events/command.ts")).declareEvent,
    share: () => loadGroup("share"),
    daemon: () => loadGroup("daemon"),
    models: async () => (await import("./models/command.ts")).declareModels,
  },
};

interface CommandGroup {
  about: string;
  examples: [commandLine: string, does: string][];
  commands: LoadDeclaration[];
}

/** Commands that several features bring under one name. */
const groups = {
  session: {
    about: "Show recorded agent sessions, and continue them",
    examples: [
      ["pm session", "the last twenty"],
      ["pm session 8ecde0fc", "one session, as a chat"],
      ["pm session show 8ecde0fc --turn 7", "a turn in full"],
      ["pm session current", "open sessions"],
      ['pm session resume "the flaky importer test"', "reopen one in its agent"],
      ["pm session handoff --to codex", "continue the latest session in another agent"],
    ],
    commands: [
      async () => (await import("./sessions/command.ts")).declareSessions,
      async () => (await import("./handoff/command.ts")).declareHandoff,
      async () => (await import("./context/command.ts")).declareContext,
    ],
  },
  memory: {
    about: "Read, back up, export, forget and protect the memory",
    examples: [
      ["pm memory decisions", "what was decided here"],
      ["pm memory backup", "copy sessions, notes and commits"],
      ["pm memory export --session 8ecde0fc", "a session as Markdown"],
      ['pm memory forget --text "Project Falcon" --dry-run', "where a text occurs"],
    ],
    commands: [
      async () => (await import("./notes/command.ts")).declareNotes,
      async () => (await import("./decisions/command.ts")).declareDecisions,
      async () => (await import("./lost/command.ts")).declareLost,
      async () => (await import("./backup/command.ts")).declareBackup,
      async () => (await import("./export/command.ts")).declareExport,
      async () => (await import("./forget/command.ts")).declareForget,
      async () => (await import("./trash/command.ts")).declareUndo,
      async () => (await import("./scrub/command.ts")).declareScrub,
      async () => (await import("./encryption/command.ts")).declareEncryption,
      async () => (await import("./audit/command.ts")).declareAudit,
    ],
  },
  code: {
    about: "Show how code is connected, and who wrote it",
    examples: [
      ["pm code impact parseConfig", "what calls it, and what calls that"],
      ["pm code related", "sessions behind your uncommitted changes"],
      ["pm code stats", "the shares of agents and people"],
    ],
    commands: [
      async () => (await import("./impact/command.ts")).declareImpact,
      async () => (await import("./related/command.ts")).declareRelated,
      async () => (await import("./search/command.ts")).declareChunk,
      async () => (await import("./packages/command.ts")).declarePackages,
      async () => (await import("./stats/command.ts")).declareStats,
    ],
  },
  checkpoint: {
    about: "Show commits with the sessions and turns that led to them",
    examples: [
      ["pm checkpoint", "the last twenty"],
      ["pm checkpoint show HEAD", "the sessions behind the last commit"],
      ["pm checkpoint diff HEAD~3 HEAD", "compare two of them"],
      ["pm checkpoint rewind HEAD~3", "its code, the changes since, and the sessions"],
      ["pm checkpoint backfill", "find checkpoints in older commits"],
    ],
    commands: [
      async () => (await import("./checkpoints/command.ts")).declareCheckpoints,
      async () => (await import("./rewind/command.ts")).declareRewind,
    ],
  },
  share: {
    about: "Share sessions, notes and the authors of lines with others",
    examples: [
      ["pm share session 8ecde0fc --to chat.html", "one session, as a page to hand on"],
      ["pm share git", "with whoever can read the remote"],
      ["pm share team", "with colleagues, through PostgreSQL"],
    ],
    commands: [
      async () => (await import("./export/command.ts")).declareShareSession,
      async () => (await import("./share/command.ts")).declareShareGit,
      async () => (await import("./share/command.ts")).declareTeam,
      async () => (await import("./exchange/command.ts")).declareAttribution,
    ],
  },
  daemon: {
    about: "The process that keeps the index up to date and records sessions",
    examples: [
      ["pm daemon start --wait", "and wait until everything is indexed"],
      ["pm daemon logs --follow", "see what it does"],
      ["pm daemon queue", "pending and failed jobs"],
    ],
    commands: [
      async () => (await import("./daemon/command.ts")).declareDaemon,
      async () => (await import("./jobs/command.ts")).declareQueue,
      async () => (await import("./index/command.ts")).declareReindex,
    ],
  },
} satisfies Record<string, CommandGroup>;

async function loadGroup(name: keyof typeof groups): Promise<DeclareCommand> {
  const { about, examples: lines, commands }: CommandGroup = groups[name];
  const declarations = await Promise.all(commands.map((load) => load()));
  return (program) => {
    const group = program
      .command(name)
      .description(about)
      .addHelpText("after", formatExamples(...lines));
    for (const declare of declarations) declare(group);
  };
}
