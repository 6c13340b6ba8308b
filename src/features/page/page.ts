import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { withIndex, withMemoryIfAny } from "../../answers/open.ts";
import { answerAbout } from "../../answers/run.ts";
import { loadConfig } from "../../base/config/config.ts";
import { toEditorAddress } from "../../base/config/settings/home-settings.ts";
import type { Config } from "../../base/config/settings.ts";
import type { Project } from "../../base/paths.ts";
import { version } from "../../base/version.ts";
import { readGitText } from "../../git/git.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessionBranches, readMemoryCounts } from "../../store/memory/sessions/sessions.ts";
import { listColleagues } from "../../store/memory/sharing.ts";
import { blame } from "../blame/operation.ts";
import { listCheckpoints, showCheckpoint } from "../checkpoints/operation.ts";
import { listDecisions } from "../decisions/operation.ts";
import { searchTranscripts } from "../search/operation.ts";
import { listSessions } from "../sessions/operation.ts";
import type { PageResponse, questionsResponse } from "./operation.ts";

/** What the local page needs before its first view: names, and the values of its filters. */
export async function describePage(project: Project): Promise<PageResponse> {
  const { config } = loadConfig(project);
  const ofSessions = await withMemoryIfAny(project, (memory) => ({
    agents: memory === null ? [] : Object.keys(readMemoryCounts(memory).agents),
    authors: memory === null ? [] : listColleagues(memory),
    branches: memory === null ? [] : listSessionBranches(memory),
  }));
  return {
    name: basename(project.root),
    root: project.root,
    version,
    editor: toEditorAddress(config["ui.editor"]),
    ...ofSessions,
    languages: await listLanguages(project, config),
  };
}

/** The most common first. A damaged index must not keep the page from showing sessions. */
async function listLanguages(project: Project, config: Config): Promise<string[]> {
  const languages = await withIndex(
    project,
    config,
    async (index) => (await index.readIndexCounts()).languages,
  ).catch(() => ({}));
  return Object.entries(languages)
    .sort(([, a], [, b]) => b.files - a.files)
    .map(([name]) => name);
}

type StarterQuestion = Shaped<typeof questionsResponse>["questions"][number];

/** A question that nobody would read to its end is left out. Characters. */
const maxLength = 110;

/**
 * Questions that this project's own sessions and code answer, one of a kind; fewer where there is too little to ask about.
 * @param memory null: there is no memory
 */
export async function findQuestions(project: Project, memory: Memory | null): Promise<StarterQuestion[]> {
  const found = await Promise.all([
    memory === null ? null : suggestSessionQuestion(project, memory).catch(() => null),
    suggestCodeQuestion(project).catch(() => null),
    memory === null ? null : suggestLineQuestion(project, memory).catch(() => null),
  ]);
  return found.filter((question) => question !== null);
}

/** What was decided, else what a session was about: the latest that the search answers. */
async function suggestSessionQuestion(project: Project, memory: Memory): Promise<StarterQuestion | null> {
  const subject = { project, memory };
  const { decisions } = await answerAbout(listDecisions, subject, { limit: 20 });
  const asked = decisions
    .filter(({ source }) => source === "conversation")
    .flatMap(({ text }) => /^(.*\?) → /.exec(text)?.[1] ?? []);
  const { sessions } = await answerAbout(listSessions, subject, { limit: 20 });
  const titles = sessions.map(({ title }) => title ?? "");
  for (const q of [...asked, ...titles].filter(isSentence).slice(0, 3)) {
    const { results } = await answerAbout(searchTranscripts, { project }, { q, limit: 1 });
    if (results.length > 0) return { about: "sessions", q };
  }
  return null;
}

/** Commits among which one is looked for that says what it changed in the code. */
const maxCommits = 50;
/** Before the words of a conventional commit: "fix(parser)!: ". */
const commitType = /^(\w+)(?:\([^)]*\))?!?: +/;
const aboutCode = new Set(["feat", "fix", "perf", "refactor"]);
/** Releases, updates of dependencies, and what a program wrote for other programs. */
const isRoutine = (subject: string): boolean =>
  /^(?:release|bump|merge|revert|version|update dependenc)|\[(?:skip ci|ci skip|bot)\]|^v?\d+\.\d/i.test(
    subject,
  );

/** Where the latest work is that a commit says in words. */
async function suggestCodeQuestion({ root }: Project): Promise<StarterQuestion | null> {
  const log = await readGitText(root, ["log", `-${maxCommits}`, "--no-merges", "--format=%s"]);
  for (const subject of log.split("\n")) {
    const type = commitType.exec(subject);
    if (isRoutine(subject) || (type !== null && !aboutCode.has(type[1]!.toLowerCase()))) continue;
    // The number of a pull request says nothing about the code.
    const q = subject.slice(type?.[0].length ?? 0).replace(/ *\(#\d+\)$/, "");
    if (isSentence(q)) return { about: "code", q };
  }
  return null;
}

/** Why a line is there that an agent wrote. */
async function suggestLineQuestion(project: Project, memory: Memory): Promise<StarterQuestion | null> {
  const { checkpoints } = await answerAbout(listCheckpoints, { project, memory }, { limit: 5 });
  for (const { id } of checkpoints) {
    const { files } = await answerAbout(showCheckpoint, { project, memory }, { id });
    const written = files
      .filter(({ path, lines }) => lines.agent > 0 && existsSync(join(project.root, path)))
      .sort((one, other) => other.lines.agent - one.lines.agent);
    for (const { path } of written.slice(0, 2)) {
      const { ranges } = await answerAbout(blame, { project, memory }, { file: path });
      const [longest] = ranges
        .filter(({ author }) => author === "agent")
        .sort((one, other) => other.last_line - other.first_line - (one.last_line - one.first_line));
      if (longest !== undefined) return { about: "line", q: `${path}:${longest.first_line}` };
    }
  }
  return null;
}

/** Fit for a line of the terminal, and more than a word or two. */
function isSentence(text: string): boolean {
  const line = text.trim();
  return (
    line.length <= maxLength && !line.includes("\n") && !line.endsWith("…") && line.split(" ").length > 2
  );
}
