import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { getPriority, setPriority } from "node:os";
import { FrameReader, frameKinds, type LaunchEnd, type LaunchRequest, makeFrame } from "./launch-frames.ts";

/**
 * The small process that starts git for a daemon, as a program of its own: `git-launcher SOCKET`. A connection is for one
 * program. It ends when its stdin does, which is the daemon.
 */

const [, , path] = process.argv;
if (path === undefined) throw new Error("usage: git-launcher SOCKET");

function end(): never {
  rmSync(path!, { force: true });
  process.exit(0);
}

function start(socket: Socket, { file, args, env, nice, hasStdin }: LaunchRequest): ChildProcess {
  const merged: NodeJS.ProcessEnv = { ...process.env };
  for (const [name, value] of Object.entries(env)) {
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  const child = spawn(file, [...args], {
    env: merged,
    stdio: [hasStdin ? "pipe" : "ignore", "pipe", "pipe"],
  });
  if (child.pid !== undefined && nice > getPriority()) {
    try {
      setPriority(child.pid, nice);
    } catch {
      // It is over.
    }
  }
  const over = (end: LaunchEnd) => socket.end(makeFrame(frameKinds.end, JSON.stringify(end)));
  child.once("error", (error: NodeJS.ErrnoException) =>
    over({ code: null, error: { code: error.code ?? "", message: error.message } }),
  );
  child.once("close", (code) => over({ code }));
  child.stdin?.on("error", () => {});
  child.stdout!.on("data", (bytes: Buffer) => {
    if (!socket.write(makeFrame(frameKinds.stdout, bytes))) child.stdout!.pause();
  });
  socket.on("drain", () => child.stdout!.resume());
  child.stderr!.on("data", (bytes: Buffer) => socket.write(makeFrame(frameKinds.stderr, bytes)));
  return child;
}

const server = createServer({ allowHalfOpen: false }, (socket) => {
  const frames = new FrameReader();
  let child: ChildProcess | null = null;
  socket.on("data", (bytes) => {
    for (const { kind, payload } of frames.read(bytes)) {
      if (kind === frameKinds.start) child = start(socket, JSON.parse(payload.toString()) as LaunchRequest);
      else if (kind === frameKinds.stdin && child?.stdin?.write(payload) === false) {
        socket.pause();
        child.stdin.once("drain", () => socket.resume());
      } else if (kind === frameKinds.stdinEnd) child?.stdin?.end();
    }
  });
  socket.on("error", () => {});
  socket.on("close", () => child?.kill());
});
process.umask(0o077);
server.listen(path);
process.stdin.on("end", end).on("error", end).resume();
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
process.on("SIGTERM", end);
