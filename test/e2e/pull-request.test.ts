import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { projectAt } from "../../src/project/paths.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { markdownAsHtml } from "../../src/text/markdown/html.ts";
import { rememberTurn, wrote } from "../support/attribution-fixture.ts";
import { addSession } from "../support/memory-fixture.ts";
import { callPm, pmFile, temporaryDir, temporaryRepository } from "./run-pm.ts";

const script = fileURLToPath(new URL("../../ci/review.mjs", import.meta.url));
const hostile =
  "@octocat <img src=x onerror=alert(1)> [here](https://evil.test) `</details>` <!-- pommel review -->";
const branch = "topic-@octocat-<b>";
const file = "src/@octocat <b>.ts";
const code = "export const answer = computeTheAnswer();\nexport const other = computeAnother();\n";

/** Comments of a made-up forge: another person's holds the marker, too. */
const comments = [{ id: 1, user: { login: "mallory" }, body: "<!-- pommel review -->\nnot yours" }];
const forge = createServer((request, response) => {
  let body = "";
  request.on("data", (part) => {
    body += part;
  });
  request.on("end", () => {
    const given = body === "" ? null : JSON.parse(body);
    if (request.url === "/user") response.writeHead(403).end("{}");
    else if (request.method === "GET") response.end(JSON.stringify(comments));
    else if (request.method === "POST") {
      comments.push({ id: 2, user: { login: "github-actions[bot]" }, ...given });
      response.writeHead(201).end("{}");
    } else {
      const id = Number(request.url!.split("/").at(-1));
      Object.assign(comments.find((one) => one.id === id)!, given);
      response.end("{}");
    }
  });
});

let cwd: string;
let remote: string;
let checkout: string;
let base: string;
let head: string;
const git = (dir: string, ...args: string[]) =>
  execFileSync("git", ["-C", dir, "-c", "user.name=Ann", "-c", "user.email=ann@acme.test", ...args], {
    encoding: "utf8",
  }).trim();

beforeAll(async () => {
  await new Promise<void>((resolve) => forge.listen(0, "127.0.0.1", resolve));
  remote = temporaryDir();
  git(remote, "init", "--quiet", "--bare", "--initial-branch=main");
  cwd = temporaryRepository();
  git(cwd, "commit", "--quiet", "--allow-empty", "-m", "Start");
  git(cwd, "branch", "-M", "main");
  git(cwd, "remote", "add", "origin", remote);
  base = git(cwd, "rev-parse", "HEAD");
  expect(await callPm(["init", "--no-hooks"], { cwd })).toMatchObject({ code: 0 });
  const memory = Memory.open(projectAt(cwd).memoryDb, { readonly: false });
  const at = Date.now() - 5000;
  const session = addSession(memory, "8ecde0fc-091c-4586-b688-cc9efe6f655c", {
    ...{ cwd, branch, startedAt: at, lastAt: at },
    title: { text: hostile, source: "agent" },
  });
  rememberTurn(memory, session.uid, [wrote(join(cwd, file), code, at)], { cwd });
  memory.close();
  git(cwd, "switch", "--quiet", "--create", branch);
  mkdirSync(join(cwd, "src"));
  writeFileSync(join(cwd, file), code);
  git(cwd, "add", "-A");
  git(cwd, "commit", "--quiet", "-m", hostile);
  head = git(cwd, "rev-parse", "HEAD");
  expect(await callPm(["checkpoint", "backfill"], { cwd })).toMatchObject({ code: 0 });
  git(cwd, "push", "--quiet", "origin", "main", `${head}:refs/pull/7/head`);
  expect(await callPm(["sync"], { cwd })).toMatchObject({ code: 0 });
  checkout = join(temporaryDir(), "checkout");
  git(remote, "clone", "--quiet", remote, checkout);
});
afterAll(() => forge.close());

/** Runs the job with what GitHub tells it. */
async function job(pull: object) {
  const dir = temporaryDir();
  const event = { number: 7, base: { sha: base }, head: { sha: head }, ...pull };
  writeFileSync(join(dir, "event.json"), JSON.stringify({ pull_request: event }));
  writeFileSync(join(dir, "pm"), `#!/bin/sh\nexec '${process.execPath}' '${pmFile}' "$@"\n`);
  chmodSync(join(dir, "pm"), 0o755);
  const env = {
    ...{ ...process.env, CI: "true", PATH: `${dir}:${process.env.PATH}`, POMMEL_HOME: join(dir, "home") },
    ...{ GITHUB_EVENT_PATH: join(dir, "event.json"), GITHUB_REPOSITORY: "acme/app", GITHUB_TOKEN: "t" },
    GITHUB_API_URL: `http://127.0.0.1:${(forge.address() as AddressInfo).port}`,
  };
  return promisify(execFile)(process.execPath, [script], { cwd: checkout, env });
}

it("is commented on once, from what the team shares, and nothing in it means anything to the forge", async () => {
  await job({});
  await job({});
  expect(comments.map(({ id }) => id)).toEqual([1, 2]);
  expect(comments[0]!.body).toContain("not yours");
  const { body } = comments[1]!;
  expect(body).toContain("**100%** by agents");
  expect(body).toContain("claude, 2 lines");
  const html = markdownAsHtml(body.replace("<!-- pommel review -->", ""));
  expect(html).toContain("octocat");
  expect(html).not.toMatch(/<(?:img|a|b|details)\b|@octocat|<!--/);
});

it("that was squashed keeps its authors, as notes that are pushed", async () => {
  git(cwd, "switch", "--quiet", "main");
  git(cwd, "merge", "--quiet", "--squash", branch);
  git(cwd, "commit", "--quiet", "-m", "Answer (#7)");
  git(cwd, "push", "--quiet", "origin", "main");
  git(checkout, "pull", "--quiet");
  const merge_commit_sha = git(cwd, "rev-parse", "HEAD");
  const { stdout } = await job({ state: "closed", merged: true, merge_commit_sha });
  expect(stdout).toContain("refs/notes/ai: 1 note written.");
  expect(git(remote, "notes", "--ref=ai", "show", merge_commit_sha)).toContain("octocat");
});
