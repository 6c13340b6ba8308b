import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import { getPriority } from "node:os";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { FrameReader, frameKinds, type LaunchEnd, type LaunchRequest, makeFrame } from "./launch-frames.ts";

/** A program that runs. */
interface LaunchedProgram {
  stdout: AsyncIterable<Buffer>;
  /** The beginning of what it wrote to stderr, so far. */
  stderr(): string;
  /** Its exit code; null: a signal ended it. Rejects where it cannot be started, or its signal aborts. */
  ended: Promise<number | null>;
  kill(): void;
}

interface LaunchOptions {
  /** Added to the environment of this process; undefined: left out of it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Its stdin; default: none. */
  stdin?: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array> | undefined;
  signal?: AbortSignal | undefined;
}

const maxStderrChars = 2000;

/** Of `getEnvironmentData`, which threads share: the socket of the launcher. */
const launcherSocket = "pommel.git-launcher";

/** Has this process, and the threads that it starts from now on, start programs through a launcher where one listens. */
export const useLauncher = (socket: string): void => setEnvironmentData(launcherSocket, socket);

/**
 * Starts a program, without a shell. A process that has grown takes long to fork itself, for which its threads stand still, so
 * a daemon keeps a small one that does it: see launcher.ts.
 */
export async function launchProgram(
  file: string,
  args: readonly string[],
  options: LaunchOptions,
): Promise<LaunchedProgram> {
  const socket = getEnvironmentData(launcherSocket);
  const connection = typeof socket === "string" ? await connectTo(socket) : null;
  return connection === null
    ? launchInProcess(file, args, options)
    : launchByLauncher(connection, file, args, options);
}

/** null: nobody listens. */
function connectTo(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", () => resolve(null));
  });
}

/** By this process itself. */
export function launchInProcess(
  file: string,
  args: readonly string[],
  { env, stdin, signal }: LaunchOptions,
): LaunchedProgram {
  const child = spawn(file, [...args], {
    env: { ...process.env, ...env },
    stdio: [stdin ? "pipe" : "ignore", "pipe", "pipe"],
    ...(signal && { signal }),
  });
  // It may exit before reading all of it; its exit code shows whether that matters.
  if (stdin && child.stdin) pipeline(Readable.from(stdin), child.stdin).catch(() => {});
  let stderr = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(0, maxStderrChars);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { stdout: child.stdout!, stderr: () => stderr, ended, kill: () => void child.kill() };
}

/** By the launcher, which kills what it started when the connection ends. */
function launchByLauncher(
  socket: Socket,
  file: string,
  args: readonly string[],
  { env, stdin, signal }: LaunchOptions,
): LaunchedProgram {
  let stderr = "";
  let isOver = false;
  const frames = new FrameReader();
  const stdout = new Readable({ read: () => void socket.resume() });
  const ended = new Promise<number | null>((resolve, reject) => {
    const fail = (error: Error) => {
      if (isOver) return;
      isOver = true;
      socket.destroy();
      // Whoever reads it learns of the error at its end, as of an exit code.
      stdout.push(null);
      reject(error);
    };
    const abort = () =>
      fail(Object.assign(new Error("The operation was aborted", { cause: signal?.reason }), abortedError));
    const over = (end: LaunchEnd) => {
      signal?.removeEventListener("abort", abort);
      if (end.error) return fail(Object.assign(new Error(end.error.message), { code: end.error.code }));
      isOver = true;
      socket.destroy();
      stdout.push(null);
      resolve(end.code);
    };
    socket.on("data", (bytes: Buffer) => {
      for (const { kind, payload } of frames.read(bytes)) {
        if (kind === frameKinds.stdout && !stdout.push(payload)) socket.pause();
        else if (kind === frameKinds.stderr) stderr = (stderr + payload.toString()).slice(0, maxStderrChars);
        else if (kind === frameKinds.end) over(JSON.parse(payload.toString()) as LaunchEnd);
      }
    });
    socket.once("error", fail);
    // The launcher was killed, and what it started with it.
    socket.once("close", () => fail(Object.assign(new Error("git's launcher ended"), { code: "EPIPE" })));
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
  if (!isOver) {
    const request: LaunchRequest = {
      file,
      args,
      env: withNulls(env),
      nice: getPriority(),
      hasStdin: !!stdin,
    };
    socket.write(makeFrame(frameKinds.start, JSON.stringify(request)));
    if (stdin) void sendStdin(stdin, socket).catch(() => {});
  }
  return { stdout, stderr: () => stderr, ended, kill: () => void socket.destroy() };
}

/** As Node's own for a child whose signal aborts. */
const abortedError = { name: "AbortError", code: "ABORT_ERR" };

/** JSON has no undefined. */
const withNulls = (env: LaunchOptions["env"]) =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? null]));

async function sendStdin(stdin: NonNullable<LaunchOptions["stdin"]>, socket: Writable): Promise<void> {
  let goOn = () => {};
  socket.once("close", () => goOn());
  for await (const part of stdin) {
    if (!socket.writable) return;
    if (!socket.write(makeFrame(frameKinds.stdin, part)))
      await new Promise<void>((resolve) => {
        goOn = resolve;
        socket.once("drain", resolve);
      });
  }
  socket.write(makeFrame(frameKinds.stdinEnd, ""));
}
