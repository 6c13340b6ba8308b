import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyEdit } from "../../src/features/radar/edit-input.ts";
import { transcript } from "./transcript-fixture.ts";

const pm = fileURLToPath(new URL("../../bin/pm.cjs", import.meta.url));

/** A call of an editing tool: `old_string` and `new_string`, or `content`. */
export interface Edit {
  path: string;
  input: { old_string: string; new_string: string } | { content: string };
}

/** One session of Claude Code in a checkout, as its client would write and call it: transcript, files and hooks of the built program. */
export class ScriptedAgent {
  readonly session = randomUUID();
  private readonly lines: ReturnType<typeof transcript>;
  private readonly file: string;

  constructor(
    private readonly root: string,
    home: string,
  ) {
    const start = new Date(Date.now() - 5000).toISOString();
    this.lines = transcript({ session: this.session, cwd: root, start });
    this.file = join(home, ".claude/projects", root.replace(/[^A-Za-z0-9]/g, "-"), `${this.session}.jsonl`);
    mkdirSync(dirname(this.file), { recursive: true });
  }

  async start(): Promise<void> {
    await this.hook("session-start", { source: "startup" });
    this.lines.prompt("Go on with it.");
    this.save();
    await this.hook("user-prompt", { prompt: "Go on with it." });
  }

  /** Reads a file, as the client wants it before an edit. */
  read(path: string): void {
    const file = join(this.root, path);
    this.lines.read(file, readFileSync(file, "utf8"));
    this.save();
  }

  /** What it is told before an edit that it does not make. */
  ask = (edit: Edit): Promise<string> => this.hook("pre-tool-use", this.describeCall(edit));

  /** Makes an edit. @returns what it is told before and after it, and when the file was written */
  async edit(
    edit: Edit,
    onWritten: (at: number) => void = () => {},
  ): Promise<{ before: string; after: string; writtenAt: number }> {
    const call = this.describeCall(edit);
    const before = await this.hook("pre-tool-use", call);
    const file = join(this.root, edit.path);
    const text = readFileSync(file, "utf8");
    const now = applyEdit(text, edit.input);
    if (now === null) throw new Error(`cannot edit ${file}`);
    writeFileSync(file, now);
    const writtenAt = performance.now();
    const { tool_name, tool_input } = call;
    const structured = { filePath: file, structuredPatch: [makeHunk(text, now)], userModified: false };
    this.lines.tool(tool_name, tool_input, `The file ${file} has been updated.`, { structured });
    this.save();
    onWritten(writtenAt);
    const after = await this.hook("post-tool-use", { ...call, tool_response: {} });
    return { before, after, writtenAt };
  }

  end = (): Promise<string> => this.hook("session-end", { reason: "other" });

  private describeCall({ path, input }: Edit) {
    const tool_name = "content" in input ? "Write" : "Edit";
    return {
      tool_name,
      tool_input: { file_path: join(this.root, path), ...input },
      tool_use_id: randomUUID(),
    };
  }

  private save(): void {
    writeFileSync(this.file, this.lines.text());
  }

  private hook(event: string, more: object): Promise<string> {
    const payload = { session_id: this.session, transcript_path: this.file, cwd: this.root, ...more };
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [pm, "hook", event], {
        cwd: this.root,
        env: { ...process.env, CLAUDE_PROJECT_DIR: this.root },
        stdio: ["pipe", "pipe", "ignore"],
      });
      let said = "";
      child.stdout.on("data", (text) => {
        said += text;
      });
      child.on("error", reject);
      child.on("close", () => resolve(said));
      child.stdin.end(JSON.stringify(payload));
    });
  }
}

/** The lines that differ, as the client writes them. */
function makeHunk(before: string, after: string) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const [removed, added] = [old, now].map((lines) => lines.slice(start, lines.length - end)) as [
    string[],
    string[],
  ];
  const lines = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)];
  return {
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    lines,
  };
}
