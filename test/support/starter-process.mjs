/**
 * Starts programs for tests (`starter.ts`). Requests come through a pipe, each with its length before it: those that are
 * waited for are answered through another, the others through a socket.
 */
import { spawn, spawnSync } from "node:child_process";
import { constants, openSync, writeSync } from "node:fs";
import { connect, Socket } from "node:net";

const [requests, answers, socket] = process.argv.slice(2);
const reports = connect(socket, () => reports.write("reports\n"));
const children = new Map();
const answered = openSync(answers, "w");

let rest = Buffer.alloc(0);
new Socket({ fd: openSync(requests, constants.O_RDONLY | constants.O_NONBLOCK), writable: false })
  .on("data", (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE()) {
      const end = 4 + rest.readUInt32LE();
      const request = JSON.parse(rest.subarray(4, end).toString());
      rest = rest.subarray(end);
      if (request.kill !== undefined) children.get(request.kill)?.kill(request.signal);
      else if (request.id === undefined) answer(request);
      else start(request);
    }
  })
  .on("close", () => process.exit());

function answer({ file, args, options }) {
  const input = options.input === undefined ? undefined : Buffer.from(options.input, "base64");
  const { pid, status, signal, stdout, stderr, error } = spawnSync(file, args, { ...options, input });
  const head = {
    pid,
    status,
    signal,
    sizes: [stdout, stderr].map((text) => text?.length ?? 0),
    error: plain(error),
  };
  const bytes = Buffer.from(JSON.stringify(head));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes.length);
  const all = Buffer.concat([size, bytes, stdout ?? "", stderr ?? ""].map((part) => Buffer.from(part)));
  for (let at = 0; at < all.length; ) at += writeSync(answered, all, at, all.length - at);
}

/** The program has the sockets themselves: nothing that it reads or writes passes through here. */
async function start({ id, file, args, options, hasInput }) {
  const streams = await Promise.all(
    ["stdin", "stdout", "stderr"].map((name) =>
      name === "stdin" && !hasInput ? "ignore" : joined(id, name),
    ),
  );
  const child = spawn(file, args, { ...options, stdio: streams });
  children.set(id, child);
  for (const stream of streams) if (stream !== "ignore") stream.destroy();
  const report = (what) => reports.write(`${JSON.stringify({ id, ...what })}\n`);
  child.once("error", (error) => {
    children.delete(id);
    report({ error: plain(error) });
  });
  child.once("exit", (code, signal) => {
    children.delete(id);
    report({ code, signal });
  });
}

const joined = (id, name) =>
  new Promise((resolve) => {
    const stream = connect(socket, () => stream.write(`${id} ${name}\n`, () => resolve(stream)));
  });

const plain = (error) => error && { ...error, message: error.message };
