import type { Transport } from "@modelcontextprotocol/server";
import type { RequestId } from "./greet.ts";
import { limitTransport } from "./limit-transport.ts";
import { StdioServerTransport, serveStdio } from "./sdk.ts";
import { createServer } from "./server.ts";

/** No genuine request is longer than this. Bytes. */
const maxRequestLength = 4 * 1024 * 1024;
/** As much as may wait to be read by the client before the next call is answered. Bytes. */
const maxUnread = 256 * 1024;

interface ServeOptions {
  cwd: string;
  isAcross: boolean;
  /** Requests that were answered before: the server learns of them, and the client does not hear of them again. */
  answered: Set<RequestId>;
  onError: (error: unknown) => void;
}

/** Serves MCP on stdin and stdout until stdin closes or stdout is closed. */
export function serve({ cwd, isAcross, answered, onError }: ServeOptions): void {
  const { stdin, stdout } = process;
  const inner = new StdioServerTransport(stdin, stdout, { maxBufferSize: maxRequestLength });
  serveStdio(() => createServer({ cwd, isAcross, untilRead: waitUntilRead }), {
    transport: limitTransport(leaveOut(inner, answered), {
      pause: () => stdin.pause(),
      resume: () => stdin.resume(),
      onFlood(open) {
        onError(new Error(`${open} requests wait for answers to be read`));
        process.exit(1);
      },
      onClosed: () => process.exit(1),
    }),
    onerror: onError,
  });

  async function waitUntilRead(): Promise<void> {
    while (stdout.writableLength > maxUnread) {
      await new Promise((resolve) => stdout.once("drain", resolve));
    }
  }
}

/** A transport that does not send the answers to these requests. */
function leaveOut(transport: Transport, answered: Set<RequestId>): Transport {
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const isAnswer = !("method" in message) && message.id !== undefined;
    if (!isAnswer || !answered.delete(message.id!)) await send(message, options);
  };
  return transport;
}
