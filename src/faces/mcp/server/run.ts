import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";
import { getErrorMessage } from "../../../base/errors.ts";
import { startMissingDaemon } from "../../../client/start-missing-daemon.ts";
import { setOwnDoor } from "../../../protocol/door.ts";
import { StdioServerTransport, serveStdio } from "./sdk.ts";
import { createServer } from "./server.ts";

/** Requests without an answer that a client may have before we stop reading on, and how often we look again. */
const maxOpen = 64;
const againMs = 500;
/** With so many it is no client, but something that only writes. */
const tooMany = 2000;

interface Bounds {
  /** Pauses and resumes reading. */
  pause(): void;
  resume(): void;
  /** Called once, when there is no end to it. */
  onFlood(open: number): void;
  /** Called when the transport closes by itself, as it does at a message that is too long. */
  onClosed(): void;
}

/**
 * A transport that reads no faster than its other side reads answers: what such a client costs stays small. From time to
 * time a little is read all the same, as otherwise the end of the input would not be seen.
 */
export function limitTransport(inner: Transport, { pause, resume, onFlood, onClosed }: Bounds): Transport {
  const open = new Set<string | number>();
  let again: NodeJS.Timeout | undefined;
  const hold = () => {
    if (open.size <= maxOpen || again !== undefined) return;
    if (open.size > tooMany) onFlood(open.size);
    pause();
    again = setTimeout(goOn, againMs);
  };
  const goOn = () => {
    clearTimeout(again);
    again = undefined;
    resume();
  };
  const closed = (id: string | number | undefined) => {
    if (id !== undefined) open.delete(id);
    if (again !== undefined && open.size <= maxOpen / 2) goOn();
  };
  const bounded: Transport = {
    async start() {
      inner.onerror = (error) => bounded.onerror?.(error);
      inner.onclose = () => {
        clearTimeout(again);
        bounded.onclose?.();
        onClosed();
      };
      inner.onmessage = (message, extra) => {
        if ("method" in message && "id" in message) open.add(message.id);
        // A cancelled request is never answered.
        const cancelled = parseCancelledId(message);
        if (cancelled !== undefined) closed(cancelled);
        bounded.onmessage?.(message, extra);
        hold();
      };
      await inner.start();
    },
    async send(message, options) {
      try {
        // Resolved when the client has read enough.
        await inner.send(message, options);
      } finally {
        if (!("method" in message)) closed(message.id);
      }
    },
    close: () => inner.close(),
  };
  return bounded;
}

function parseCancelledId(message: JSONRPCMessage): string | number | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.requestId;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

/** No genuine request is longer than this. Bytes. */
const maxRequestLength = 4 * 1024 * 1024;
/** As much as may wait to be read by the client before the next call is answered. Bytes. */
const maxUnread = 256 * 1024;
/** The agent has its first answers by then, and has asked nothing of the daemon yet. Milliseconds. */
const startDaemonAfterMs = 500;

/**
 * Serves MCP on stdin and stdout until stdin closes, a signal comes or stdout is closed; then the process ends, and
 * with it the calls that are still worked on. Nothing but the protocol is written to stdout.
 * @param isAcross whether searches look in all projects of this machine
 */
export function runMcp(cwd: string, isAcross = false): void {
  setOwnDoor("mcp");
  const { stdin, stdout } = process;
  const end = () => process.exit(0);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  stdin.on("end", end).on("close", end).on("error", end);
  // The client is gone: there is no one to report to.
  stdout.on("error", end);
  // Each answer that waits to be read listens for that.
  stdout.setMaxListeners(0);
  // One call that goes wrong in an unforeseen way must not take the others along.
  process.on("uncaughtException", reportError).on("unhandledRejection", reportError);

  serveStdio(() => createServer({ cwd, isAcross, untilRead: waitUntilRead }), {
    transport: limitTransport(new StdioServerTransport(stdin, stdout, { maxBufferSize: maxRequestLength }), {
      pause: () => stdin.pause(),
      resume: () => stdin.resume(),
      onFlood(open) {
        reportError(new Error(`${open} requests wait for answers to be read`));
        process.exit(1);
      },
      onClosed: () => process.exit(1),
    }),
    onerror: reportError,
  });

  setTimeout(() => void startMissingDaemon(), startDaemonAfterMs).unref();

  async function waitUntilRead(): Promise<void> {
    while (stdout.writableLength > maxUnread) {
      await new Promise((resolve) => stdout.once("drain", resolve));
    }
  }
}

function reportError(error: unknown): void {
  // Names the event, never the text of requests or answers.
  const [said = ""] = getErrorMessage(error).split("\n", 1);
  // A list of a message's faults begins with a bracket.
  const what = said === "[" ? "skipped a message outside the protocol" : said.slice(0, 300);
  process.stderr.write(`pm mcp: ${what}\n`);
}
