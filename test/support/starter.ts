import childProcess, { type SpawnOptions, type SpawnSyncOptions } from "node:child_process";
import { EventEmitter } from "node:events";
import { mkdtempSync, openSync, readSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";

/**
 * Starting a program copies the tables of its parent's memory: from a process that has run hundreds of test files and holds
 * 400 MB, ten milliseconds on both sides, which for git is more than it works. A small process starts them instead, in
 * `starter-process.mjs`.
 */

/** What `spawnSync` gives, with its output as bytes. */
interface Ended {
  pid: number;
  status: number | null;
  signal: NodeJS.Signals | null;
  stdout: Buffer;
  stderr: Buffer;
  error?: Error;
}

/** How the small process says that a program could not be started. */
interface PlainError {
  message: string;
  code?: string;
}
type Report = { id: number } & (
  | { error: PlainError }
  | { code: number | null; signal: NodeJS.Signals | null }
);

const node = { ...childProcess };

/** From now on, and once in a process, which test files share. Windows starts programs in another way. */
export function startElsewhere(): void {
  const shared = globalThis as { startsElsewhere?: boolean };
  if (shared.startsElsewhere || process.platform === "win32") return;
  shared.startsElsewhere = true;
  const starter = openStarter();
  const { spawn, spawnSync, execFileSync } = childProcess;

  Object.assign(childProcess, {
    spawn: (file: string, args?: unknown, options?: SpawnOptions) =>
      file === "git" && Array.isArray(args) && isPiped(options)
        ? starter.start(file, args, options)
        : spawn(file, args as string[], options as SpawnOptions),
    spawnSync: (file: string, args?: unknown, options?: SpawnSyncOptions) =>
      Array.isArray(args) && isPiped(options)
        ? inEncoding(starter.run(file, args, options), options)
        : spawnSync(file, args as string[], options),
    execFileSync: (file: string, args?: unknown, options?: SpawnSyncOptions) =>
      Array.isArray(args) && isPiped(options)
        ? outputOf(file, args, starter.run(file, args, options), options)
        : execFileSync(file, args as string[], options),
  });
  syncBuiltinESMExports();
}

/** Whether nothing that the program is given or writes is a file or a terminal of this process. */
function isPiped(options: SpawnOptions | SpawnSyncOptions = {}): boolean {
  const { stdio = "pipe" } = options;
  const isOne = (one: unknown) => one === "pipe" || one === "ignore";
  return !options.shell && (Array.isArray(stdio) ? stdio.length <= 3 && stdio.every(isOne) : isOne(stdio));
}

const inEncoding = (ended: Ended, { encoding }: SpawnSyncOptions = {}) => {
  if (!encoding || encoding === "buffer") return { ...ended, output: [null, ended.stdout, ended.stderr] };
  const [stdout, stderr] = [ended.stdout.toString(encoding), ended.stderr.toString(encoding)];
  return { ...ended, stdout, stderr, output: [null, stdout, stderr] };
};

/** @throws as `execFileSync` does */
function outputOf(file: string, args: readonly string[], ended: Ended, options: SpawnSyncOptions = {}) {
  const result = inEncoding(ended, options);
  if (options.stdio === undefined) process.stderr.write(ended.stderr);
  if (!ended.error && ended.status === 0) return result.stdout;
  const said = ended.stderr.length > 0 ? `\n${ended.stderr}` : "";
  throw Object.assign(
    ended.error ?? new Error(`Command failed: ${[file, ...args].join(" ")}${said}`),
    result,
  );
}

const errorOf = (plain: PlainError) => Object.assign(new Error(plain.message), plain);

function openStarter() {
  const dir = mkdtempSync(join(tmpdir(), "pommel-starter-"));
  const [requests, answers, socket] = ["requests", "answers", "socket"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  node.execFileSync("mkfifo", [requests, answers]);
  const children = new Map<number, StartedChild>();
  let lastId = 0;
  createServer((stream) => takeStream(stream, children))
    .listen(socket)
    .unref();
  const program = join(import.meta.dirname, "starter-process.mjs");
  const stdio = ["ignore", "ignore", "inherit"] as const;
  node.spawn(process.execPath, [program, requests, answers, socket], { stdio: [...stdio] }).unref();
  // In the order in which the small process opens them: each waits for the other end.
  const answered = openSync(answers, "r");
  const asked = openSync(requests, "w");

  const ask = (request: object) => {
    const body = Buffer.from(JSON.stringify(request));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(body.length);
    const all = Buffer.concat([size, body]);
    for (let at = 0; at < all.length; ) at += writeSync(asked, all, at, all.length - at);
  };
  const read = (length: number) => {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      const got = readSync(answered, bytes, at, length - at, null);
      if (got === 0) throw new Error("What starts programs for tests has ended.");
      at += got;
    }
    return bytes;
  };
  /** Where and with what a program starts if nothing else is said, which for the small process is something else. */
  const here = () => ({ cwd: process.cwd(), env: process.env });

  return {
    run(file: string, args: readonly string[], options: SpawnSyncOptions = {}): Ended {
      const { input, ...others } = options;
      const bytes = input == null ? undefined : Buffer.from(input as string).toString("base64");
      ask({ file, args, options: { ...here(), ...others, encoding: "buffer", input: bytes } });
      const { sizes, error, ...head } = JSON.parse(read(read(4).readUInt32LE()).toString());
      const [stdout, stderr] = [read(sizes[0]), read(sizes[1])];
      return { ...head, stdout, stderr, ...(error && { error: errorOf(error) }) };
    },
    start(file: string, args: readonly string[], options: SpawnOptions = {}): StartedChild {
      const { signal, stdio, ...others } = options;
      const id = ++lastId;
      const hasInput = (Array.isArray(stdio) ? stdio[0] : stdio) !== "ignore";
      const child = new StartedChild(hasInput, (how) => ask({ kill: id, signal: how }));
      children.set(id, child);
      child.once("close", () => children.delete(id));
      ask({ id, file, args, options: { ...here(), ...others }, hasInput });
      const abort = () => child.kill() && child.emit("error", new DOMException("aborted", "AbortError"));
      if (signal?.aborted) queueMicrotask(abort);
      else signal?.addEventListener("abort", abort, { once: true });
      child.once("close", () => signal?.removeEventListener("abort", abort));
      return child;
    },
  };
}

/** The part of `ChildProcess` that whoever starts git uses. */
class StartedChild extends EventEmitter {
  readonly stdin: PassThrough | null;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  private hasEnded = false;
  private readonly sendKill: (signal: NodeJS.Signals | number) => void;

  constructor(hasInput: boolean, sendKill: (signal: NodeJS.Signals | number) => void) {
    super();
    this.stdin = hasInput ? new PassThrough() : null;
    this.sendKill = sendKill;
  }

  kill(signal: NodeJS.Signals | number = "SIGTERM"): boolean {
    if (this.hasEnded) return false;
    this.sendKill(signal);
    return true;
  }

  take(report: Report): void {
    this.hasEnded = true;
    if ("error" in report) {
      for (const stream of [this.stdout, this.stderr]) stream.end();
      this.emit("error", errorOf(report.error));
      return;
    }
    this.emit("exit", report.code, report.signal);
    const closeAfterOutput = () => {
      if (this.stdout.closed && this.stderr.closed) this.emit("close", report.code, report.signal);
    };
    for (const stream of [this.stdout, this.stderr]) stream.once("close", closeAfterOutput);
    closeAfterOutput();
  }
}

/** A stream that the small process opened says in its first line whose it is; one of them has reports on all programs. */
function takeStream(stream: Socket, children: ReadonlyMap<number, StartedChild>): void {
  let rest = "";
  stream.on("error", () => {});
  const take = (bytes: Buffer) => {
    const at = bytes.indexOf("\n");
    rest += bytes.subarray(0, at < 0 ? bytes.length : at).toString();
    if (at < 0) return;
    stream.off("data", take).pause();
    if (at + 1 < bytes.length) stream.unshift(bytes.subarray(at + 1));
    const [id, name] = rest.split(" ");
    const child = children.get(Number(id));
    if (id === "reports") readReports(stream, children);
    else if (name === "stdin") child?.stdin?.pipe(stream);
    else stream.pipe(child?.[name as "stdout" | "stderr"] ?? new PassThrough().resume());
  };
  stream.on("data", take);
}

function readReports(stream: Socket, children: ReadonlyMap<number, StartedChild>): void {
  stream.unref();
  createInterface({ input: stream }).on("line", (line) => {
    const report = JSON.parse(line) as Report;
    children.get(report.id)?.take(report);
  });
}
