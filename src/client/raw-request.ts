import { connect } from "node:net";
import { isOwnSocket, locateSocket } from "../base/home.ts";
import { channelHeader, getChannel, placeHeader } from "../protocol/channel.ts";

/**
 * A POST to the daemon, which closes the connection after its answer. Written by hand, because an HTTP client loads slowly.
 * @param place the directory that the request is about
 */
export function formatRequest(path: string, body: string, place: string | null = null): string {
  const head = [
    `POST ${path} HTTP/1.0`,
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    `${channelHeader}: ${getChannel()}`,
    ...(place === null ? [] : [`${placeHeader}: ${encodeURIComponent(place)}`]),
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

interface RawAnswer {
  /** 0: not HTTP. */
  status: number;
  body: string;
}

/**
 * Sends `request` and reads the whole answer.
 * @returns "timeout" if the answer takes longer than `timeoutMs`; null if there is none, or if it has more than `maxBytes`
 */
export async function exchange(
  request: string,
  { timeoutMs, maxBytes = Number.POSITIVE_INFINITY }: { timeoutMs: number; maxBytes?: number },
): Promise<RawAnswer | "timeout" | null> {
  const path = locateSocket();
  if (!isOwnSocket(path)) return null;
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let length = 0;
    const socket = connect({ path });
    const timer = setTimeout(() => finish("timeout"), timeoutMs);
    function finish(answer: RawAnswer | "timeout" | null): void {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    }
    socket.on("error", () => finish(null));
    socket.on("data", (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length > maxBytes) finish(null);
    });
    socket.on("end", () => finish(answerIn(Buffer.concat(parts).toString("utf8"))));
    socket.write(request);
  });
}

function answerIn(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [, status] = /^HTTP\/1\.[01] (\d{3}) /.exec(text) ?? [];
  return end === -1 || status === undefined
    ? { status: 0, body: "" }
    : { status: Number(status), body: text.slice(end + 4) };
}
