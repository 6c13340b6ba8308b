import type { DaemonRecord } from "./daemon-record.ts";

/** A POST to the daemon, whose answer ends with the connection. By hand: an HTTP client takes longer to load. */
export function requestText({ port, token }: DaemonRecord, path: string, body: string): string {
  const head = [
    `POST ${path} HTTP/1.0`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
