import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

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
