import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

/** How many unanswered requests a client may have before we pause reading, and how long until we read a little again. */
const maxOpen = 64;

const againMs = 500;

/** With more unanswered requests, the other side is not a client, but something that only writes. */
const tooMany = 2000;

interface TransportBounds {
  /** Pauses and resumes reading. */
  pause(): void;
  resume(): void;
  /** Called once, when there are `tooMany` open requests. */
  onFlood(open: number): void;
  /** Called when the transport closes itself, as it does after a message that is too long. */
  onClosed(): void;
}

/**
 * A transport that reads no faster than the other side reads answers, so that a client that reads none costs little. Now and then
 * it reads a little all the same, because it would otherwise miss the end of the input.
 */
export function limitTransport(
  inner: Transport,
  { pause, resume, onFlood, onClosed }: TransportBounds,
): Transport {
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
