import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Comment {
  id: number;
  user: { login: string };
  author: { id: number };
  body: string;
}

/** What the forge refuses, as it does: a token that may only read, a limit that is used up. */
type Refusal = "read only" | "limited" | null;

/** For tests: the API of GitHub (below `/repos`) and of GitLab (below `/projects`), as far as comments need it. */
export async function startFakeForge() {
  const comments: Comment[] = [];
  const state: {
    refuses: Refusal;
    token: string;
    merged: { iid: number; base: string; head: string } | null;
  } = {
    refuses: null,
    token: "t",
    merged: null,
  };
  const add = (login: string, author: number, body: string) =>
    comments.push({ id: comments.length + 1, user: { login }, author: { id: author }, body });

  function answer(request: IncomingMessage, response: ServerResponse, given: { body: string } | null): void {
    const send = (status: number, value: unknown, headers: Record<string, string> = {}) =>
      response
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(value));
    const { pathname, searchParams } = new URL(request.url!, "http://forge");
    const { method, headers } = request;
    const isGitlab = headers["private-token"] !== undefined;
    const token = isGitlab ? headers["private-token"] : headers.authorization?.replace("Bearer ", "");
    if (token !== state.token) return void send(401, { message: "Bad credentials" });
    if (state.refuses === "limited") {
      const message = "API rate limit exceeded for installation.";
      return void send(403, { message }, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9999999999" });
    }
    if (pathname === "/user")
      return void (isGitlab
        ? send(200, { id: 77, username: "project_1_bot" })
        : send(403, { message: "Resource not accessible by integration" }));
    if (method !== "GET" && state.refuses === "read only")
      return void send(403, { message: "Resource not accessible by integration" });
    if (pathname === `/projects/1/repository/commits/${state.merged?.head}/merge_requests`)
      return void send(200, []);
    if (/^\/projects\/1\/repository\/commits\/\w+\/merge_requests$/.test(pathname))
      return void send(200, state.merged === null ? [] : [{ iid: state.merged.iid, state: "merged" }]);
    if (pathname === `/projects/1/merge_requests/${state.merged?.iid}`)
      return void send(200, { diff_refs: { base_sha: state.merged!.base, head_sha: state.merged!.head } });
    const place =
      /^(?:\/repos\/acme\/app\/issues(?:\/7)?\/comments|\/projects\/1\/merge_requests\/7\/notes)(?:\/(\d+))?$/.exec(
        pathname,
      );
    if (place === null) return void send(404, { message: "Not Found" });
    if (method === "POST") {
      add("github-actions[bot]", 77, given!.body);
      return void send(201, comments.at(-1));
    }
    if (method === "GET") {
      const size = Math.min(Number(searchParams.get("per_page") ?? 30), 100);
      const page = Number(searchParams.get("page") ?? 1);
      return void send(200, comments.slice((page - 1) * size, page * size));
    }
    const one = comments.find(({ id }) => id === Number(place[1]));
    if (one === undefined || method !== (isGitlab ? "PUT" : "PATCH"))
      return void send(404, { message: "Not Found" });
    one.body = given!.body;
    send(200, one);
  }

  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const text = Buffer.concat(parts).toString();
    answer(request, response, text === "" ? null : JSON.parse(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    comments,
    state,
    add,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
