import { execFileSync } from "node:child_process";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { PommelError } from "../../base/errors.ts";
import { readTextIfAny } from "../../base/files/if-any.ts";
import { findProgram } from "../../base/find-program.ts";
import { type Deed, initialFiles, type StorySession, story } from "./story.ts";

const hourMs = 3_600_000;
/** So long an agent takes for a step, and its user until a commit. Milliseconds. */
const stepMs = 20_000;
const untilCommitMs = 120_000;

/** Whose repository it is. */
const person = { name: "Robin Falk", email: "robin@example.com" };

interface StoryPlace {
  /** The repository. */
  root: string;
  /** The home in which Claude Code keeps its transcripts. */
  home: string;
  /** The day on which the story is told; the same one gives the same commits. Milliseconds since the epoch. */
  now: number;
}

/**
 * Makes the repository of the story, with the transcripts that Claude Code would have left.
 * @throws PommelError `git_failed` without git
 */
export function tellStory(place: StoryPlace): void {
  const git = makeGitRunner(place.root);
  const began = place.now - 60 * hourMs;
  for (const [path, content] of Object.entries(initialFiles)) put(began, join(place.root, path), content);
  git(began, "init", "--quiet", "--initial-branch=main", "--template=");
  for (const [name, value] of Object.entries(person)) git(began, "config", `user.${name}`, value);
  git(began, "add", ".");
  git(began, "commit", "--quiet", "--message", "Begin");
  for (const session of story) tellSession(place, session);
}

/** Adds a session, its commits and its transcript. */
export function tellSession({ root, home, now }: StoryPlace, session: StorySession): void {
  const { id, hoursAgo, branch, turns } = session;
  const git = makeGitRunner(root);
  const transcript = new Transcript(session, root, now - hoursAgo * hourMs);
  if (branch !== "main") {
    const isNew = git(transcript.at, "branch", "--list", branch) === "";
    git(transcript.at, "checkout", "--quiet", ...(isNew ? ["-b", branch] : [branch]));
  }
  for (const { prompt, deeds, answer, commit } of turns) {
    transcript.add("user", { role: "user", content: prompt });
    for (const deed of deeds) {
      const call = transcript.say({ type: "tool_use", ...writeCall(deed, root) });
      const { content, isError, result } = writeResult(deed, root);
      const block = { type: "tool_result", tool_use_id: call, content, is_error: isError };
      if ("path" in deed) put(transcript.at, join(root, deed.path), deed.content);
      transcript.add("user", { role: "user", content: [block] }, { toolUseResult: result });
    }
    transcript.say({ type: "text", text: answer });
    transcript.at += untilCommitMs;
    if (commit === undefined) continue;
    git(transcript.at, "add", ".");
    git(transcript.at, "commit", "--quiet", "--message", commit);
  }
  const folder = join(home, ".claude/projects", root.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  // As old as it says: the daemon waits for more of a new one before it sums it up.
  put(transcript.at, join(folder, `${id}.jsonl`), transcript.toJsonLines());
}

/** A transcript in the shape that Claude Code writes. */
class Transcript {
  private readonly lines: object[] = [];
  private last: string | null = null;

  constructor(
    private readonly session: StorySession,
    private readonly root: string,
    /** Milliseconds since the epoch. */
    public at: number,
  ) {}

  /** The agent says something, or calls a tool. @returns the id of the call */
  say(content: object): string {
    const number = this.lines.length + 1;
    const id = `toolu_${this.session.id.slice(0, 4)}${number}`;
    this.add("assistant", {
      id: `msg_${number}`,
      role: "assistant",
      model: "claude-demo-1",
      content: [{ ...content, id }],
      usage: { input_tokens: 1200, output_tokens: 240 },
    });
    return id;
  }

  add(type: "user" | "assistant", message: object, more: object = {}): void {
    this.at += stepMs;
    const { id, branch } = this.session;
    const uuid = `${id}-${this.lines.length + 1}`;
    this.lines.push({
      sessionId: id,
      cwd: this.root,
      gitBranch: branch,
      version: "2.1.0",
      userType: "external",
      type,
      uuid,
      parentUuid: this.last,
      isSidechain: false,
      timestamp: new Date(this.at).toISOString(),
      message,
      ...more,
    });
    this.last = uuid;
  }

  toJsonLines(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  }
}

const writeCall = (deed: Deed, root: string) =>
  "path" in deed
    ? { name: "Write", input: { file_path: join(root, deed.path), content: deed.content } }
    : { name: "Bash", input: { command: deed.command, description: deed.purpose } };

/** What the client writes down of a deed, which is asked before it is done. */
function writeResult(deed: Deed, root: string) {
  if (!("path" in deed)) {
    const { output, hasFailed = false } = deed;
    const result = hasFailed ? `Error: ${output}` : { stdout: output, stderr: "", interrupted: false };
    return { content: output, isError: hasFailed, result };
  }
  const file = join(root, deed.path);
  const before = readTextIfAny(file);
  const result = {
    type: before === "" ? "create" : "update",
    filePath: file,
    content: deed.content,
    originalFile: before === "" ? null : before,
    structuredPatch: [],
  };
  return { content: `File written: ${file}`, isError: false, result };
}

/** Writes a file at a time of the story. */
function put(at: number, file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  utimesSync(file, new Date(at), new Date(at));
}

/** Runs git at a time of the story, whatever this machine's settings are: the same story gives the same commits. */
function makeGitRunner(root: string): (at: number, ...args: string[]) => string {
  const [program] = findProgram("git") ?? [];
  if (program === undefined)
    throw new PommelError("git_failed", "git was not found.", "Install git, or put it on the PATH.");
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"));
  return (at, ...args) => {
    const date = new Date(at).toISOString();
    const env = {
      ...Object.fromEntries(inherited),
      GIT_CONFIG_GLOBAL: devNull,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    };
    return execFileSync(program, args, {
      cwd: root,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    });
  };
}
