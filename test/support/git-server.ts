import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface GitServer {
  /** The directory of the bare repositories, which are served below `/`. */
  root: string;
  /** "user:password" of whoever may read, and of whoever may push as well. */
  reader: string;
  writer: string;
  /** Called before each request is answered. */
  onRequest(request: IncomingMessage): void;
}

/** For tests: git over HTTP as forges serve it, by `git http-backend`, with names and passwords. */
export async function startGitServer({ root, reader, writer, onRequest }: GitServer) {
  const server = createServer((request, response) => {
    onRequest(request);
    const [, encoded = ""] = request.headers.authorization?.split(" ") ?? [];
    const who = Buffer.from(encoded, "base64").toString();
    const isPush = request.url!.includes("git-receive-pack");
    if (who === writer || (who === reader && !isPush)) return serve(root, who, request, response);
    response.writeHead(who === reader ? 403 : 401, { "www-authenticate": 'Basic realm="forge"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** As CGI: https://git-scm.com/docs/git-http-backend */
function serve(root: string, who: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url!, "http://forge");
  const { headers } = request;
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: headers["content-type"],
      CONTENT_LENGTH: headers["content-length"],
      HTTP_CONTENT_ENCODING: headers["content-encoding"],
      GIT_PROTOCOL: headers["git-protocol"] as string | undefined,
      REMOTE_USER: who.split(":", 1)[0],
    },
  });
  request.pipe(backend.stdin);
  backend.stderr.resume();
  const parts: Buffer[] = [];
  backend.stdout.on("data", (part: Buffer) => parts.push(part));
  backend.on("close", () => {
    const all = Buffer.concat(parts);
    const end = all.indexOf("\r\n\r\n");
    const given = all
      .subarray(0, end)
      .toString()
      .split("\r\n")
      .map((line) => line.split(": ", 2) as [string, string]);
    const [, status = "200"] = given.find(([name]) => name === "Status") ?? [];
    response.writeHead(Number.parseInt(status, 10), Object.fromEntries(given)).end(all.subarray(end + 4));
  });
}
