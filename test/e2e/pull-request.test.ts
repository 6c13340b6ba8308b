import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { makeNewProject } from "../../src/base/paths.ts";
import { renderMarkdownAsHtml } from "../../src/base/text/markdown/html.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { rememberTurn, wrote } from "../support/attribution-fixture.ts";
import { startFakeForge } from "../support/fake-forge.ts";
import { startGitServer } from "../support/git-server.ts";
import { addSession } from "../support/memory-fixture.ts";
import { callPm, temporaryDir, temporaryRepository } from "./run-pm.ts";

const script = fileURLToPath(new URL("../../ci/review.mjs", import.meta.url));
const hostile =
  "@octocat <img src=x onerror=alert(1)> [here](https://evil.test) `</details>` <!-- pommel review -->";
const branch = "topic-@octocat-<b>";
const file = "src/@octocat <b>.ts";
const code = "export const answer = computeTheAnswer();\nexport const other = computeAnother();\n";

let forge: Awaited<ReturnType<typeof startFakeForge>>;
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
  forge = await startFakeForge();
  // Another person's comment holds the marker, too, and a long discussion has several pages.
  forge.add("mallory", 1, "<!-- pommel review -->\nnot yours");
  for (let i = 0; i < 150; i++) forge.add("ann", 2, `comment ${i}`);
  remote = join(temporaryDir(), "app.git");
  mkdirSync(remote);
  git(remote, "init", "--quiet", "--bare", "--initial-branch=main");
  cwd = temporaryRepository();
  git(cwd, "commit", "--quiet", "--allow-empty", "-m", "Start");
  git(cwd, "branch", "-M", "main");
  git(cwd, "remote", "add", "origin", remote);
  base = git(cwd, "rev-parse", "HEAD");
  expect(await callPm(["init", "--no-hooks"], { cwd })).toMatchObject({ code: 0 });
  const memory = Memory.open(makeNewProject(cwd).memoryDb, { readonly: false });
  const at = Date.now() - 5000;
  const session = addSession(memory, "8ecde0fc-091c-4586-b688-cc9efe6f655c", {
    cwd,
    branch,
    startedAt: at,
    lastAt: at,
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
afterEach(() => {
  forge.state.refuses = null;
});

/** The arguments of every program that the last job ran by its name. */
let started: string;

/** Runs the job with what a forge tells it, on a runner with another `pm`. */
async function run(told: NodeJS.ProcessEnv) {
  const dir = temporaryDir();
  const log = join(dir, "started");
  writeFileSync(log, "");
  const put = (name: string, text: string) => {
    writeFileSync(join(dir, name), `#!/bin/sh\necho ${name} "$@" >> '${log}'\n${text}\n`);
    chmodSync(join(dir, name), 0o755);
  };
  put("pm", "exit 1");
  put("git", `PATH='${process.env.PATH}' exec git "$@"`);
  const env = {
    ...process.env,
    CI: "true",
    PATH: `${dir}:${process.env.PATH}`,
    POMMEL_HOME: join(dir, "home"),
  };
  try {
    return await promisify(execFile)(process.execPath, [script], { cwd: checkout, env: { ...env, ...told } });
  } finally {
    started = readFileSync(log, "utf8");
  }
}

function onGithub(pull: object, told: NodeJS.ProcessEnv = {}) {
  const event = { number: 7, base: { sha: base }, head: { sha: head }, ...pull };
  const file = join(temporaryDir(), "event.json");
  writeFileSync(file, JSON.stringify({ pull_request: event }));
  const place = { GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: "acme/app", GITHUB_API_URL: forge.url };
  return run({ ...place, GITHUB_TOKEN: "t", ...told });
}

const onGitlab = (told: NodeJS.ProcessEnv) =>
  run({
    CI_API_V4_URL: forge.url,
    CI_PROJECT_ID: "1",
    CI_PROJECT_URL: `file://${remote.replace(".git", "")}`,
    CI_COMMIT_SHA: head,
    CI_DEFAULT_BRANCH: "main",
    POMMEL_TOKEN: "t",
    ...told,
  });
const ofRequest = () => ({
  CI_MERGE_REQUEST_IID: "7",
  CI_MERGE_REQUEST_PROJECT_ID: "1",
  CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
});

/** Comments that hold a review, and are the job's own. */
const ours = () =>
  forge.comments.filter(({ author, body }) => author.id === 77 && body.includes("by agents"));

function expectInert(body: string): void {
  expect(body).toContain("**100%** by agents");
  expect(body).toContain("claude, 2 lines");
  const html = renderMarkdownAsHtml(body.replace("<!-- pommel review -->", ""));
  expect(html).toContain("octocat");
  expect(html).not.toMatch(/<(?:img|a|b|details)\b|@octocat|<!--/);
}

it("is commented on once, from what the team shares, and nothing in it means anything to the forge", async () => {
  await onGithub({});
  await onGithub({});
  expect(ours()).toHaveLength(1);
  expect(forge.comments[0]!.body).toContain("not yours");
  expectInert(ours()[0]!.body);
  // The notes of GitLab are the same list here.
  await onGitlab(ofRequest());
  await onGitlab(ofRequest());
  expect(ours()).toHaveLength(1);
});

it("of a fork, whose token may only read or is missing, is reviewed in a file", async () => {
  const before = structuredClone(forge.comments);
  forge.state.refuses = "read only";
  const { stdout } = await onGithub({});
  expect(stdout).toContain("The token may not comment");
  expect(stdout).toContain("Resource not accessible by integration");
  expectInert(readFileSync(join(checkout, "pommel-review.md"), "utf8"));
  for (const answer of [onGithub({}, { GITHUB_TOKEN: "" }), onGitlab({ ...ofRequest(), POMMEL_TOKEN: "" })])
    expect((await answer).stdout).toContain("No token to comment with: the review is in pommel-review.md.");
  expect((await onGithub({}, { GITHUB_TOKEN: "stale" })).stdout).toContain("Bad credentials");
  expect(forge.comments).toEqual(before);
});

it("says when the forge has had enough requests", async () => {
  forge.state.refuses = "limited";
  const { stdout } = await onGithub({});
  expect(stdout).toContain("The forge's rate limit is used up");
  expect(stdout).toContain("API rate limit exceeded");
});

it("that was squashed keeps its authors, as notes that are pushed", async () => {
  git(cwd, "switch", "--quiet", "main");
  git(cwd, "merge", "--quiet", "--squash", branch);
  git(cwd, "commit", "--quiet", "-m", "Answer (#7)");
  git(cwd, "push", "--quiet", "origin", "main");
  git(checkout, "pull", "--quiet");
  const merge_commit_sha = git(cwd, "rev-parse", "HEAD");
  const { stdout } = await onGithub({ state: "closed", merged: true, merge_commit_sha });
  expect(stdout).toContain("refs/notes/ai: 1 note written.");
  expect(git(remote, "notes", "--ref=ai", "show", merge_commit_sha)).toContain("octocat");
  // The same on GitLab, where the job knows only the commit that the merge made.
  git(remote, "update-ref", "-d", "refs/notes/ai");
  git(checkout, "update-ref", "-d", "refs/notes/ai");
  git(remote, "update-ref", "refs/merge-requests/7/head", head);
  forge.state.merged = { iid: 7, base, head };
  await onGitlab({ CI_COMMIT_SHA: merge_commit_sha, CI_COMMIT_BRANCH: "main" });
  expect(git(remote, "notes", "--ref=ai", "show", merge_commit_sha)).toContain("octocat");
});

/** Lets the remote refuse pushes, until it has refused so many. */
function refusePushes(times: number) {
  const hook = join(remote, "hooks", "pre-receive");
  const count = join(remote, "refused");
  writeFileSync(count, "");
  writeFileSync(
    hook,
    `#!/bin/sh\n[ $(wc -c < '${count}') -ge ${times} ] && exit 0\nprintf x >> '${count}'\necho "not now" >&2\nexit 1\n`,
  );
  chmodSync(hook, 0o755);
  return { refused: () => readFileSync(count, "utf8").length, stop: () => rmSync(hook) };
}

it("whose notes cannot be pushed at once is tried again, and the token is in no argument and no message", async () => {
  const CI_COMMIT_SHA = git(cwd, "rev-parse", "main");
  const token = "glpat-0123456789abcdefghij";
  forge.state.token = token;
  const job = { CI_COMMIT_SHA, CI_COMMIT_BRANCH: "main", POMMEL_TOKEN: token };
  const forgetNotes = () => {
    for (const dir of [remote, checkout]) git(dir, "update-ref", "-d", "refs/notes/ai");
  };
  try {
    forgetNotes();
    const twice = refusePushes(2);
    const { stdout, stderr } = await onGitlab(job);
    expect(twice.refused()).toBe(2);
    expect(stdout).toContain("trying again");
    expect(git(remote, "notes", "--ref=ai", "show", CI_COMMIT_SHA)).toContain("octocat");
    expect(stdout + stderr + started).not.toContain(token);
    expect(started).toContain(" push --quiet file://");
    expect(started).not.toMatch(/^pm /m);
    twice.stop();

    forgetNotes();
    const always = refusePushes(1000);
    const failed: unknown = await onGitlab(job).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: git push failed: .*hook declined/m),
    });
    const { stdout: said, stderr: shown } = failed as { stdout: string; stderr: string };
    const basic = Buffer.from(`oauth2:${token}`).toString("base64");
    for (const secret of [token, basic, "oauth2"]) expect(said + shown + started).not.toContain(secret);
    always.stop();

    const unreachable: unknown = await onGitlab({ ...job, CI_API_V4_URL: "http://127.0.0.1:1" }).catch(
      (error: unknown) => error,
    );
    expect(unreachable).toMatchObject({ code: 1, stderr: expect.stringMatching(/^error: [^\n]*\n$/) });
  } finally {
    forge.state.token = "t";
  }
});

it("whose notes another job was quicker to push get both, and no process is started with a token", async () => {
  const [token, jobToken] = ["glpat-9876543210zyxwvutsrq", "glcbt-64_jobjobjobjobjobjobjob"];
  const CI_COMMIT_SHA = git(cwd, "rev-parse", "main");
  const other = join(temporaryDir(), "other");
  git(remote, "clone", "--quiet", remote, other);
  const seen = { pushes: 0, processes: "" };
  const server = await startGitServer({
    root: dirname(remote),
    reader: `gitlab-ci-token:${jobToken}`,
    writer: `oauth2:${token}`,
    onRequest({ url }) {
      seen.processes += execFileSync("ps", ["-Ao", "args"], { encoding: "utf8" });
      if (url!.includes("info/refs?service=git-receive-pack") && seen.pushes++ === 0) {
        git(other, "notes", "--ref=ai", "add", "-m", "of another job", base);
        git(other, "push", "--quiet", "origin", "refs/notes/ai");
      }
    },
  });
  forge.state.token = token;
  for (const dir of [remote, checkout]) git(dir, "update-ref", "-d", "refs/notes/ai");
  git(checkout, "remote", "set-url", "origin", `http://gitlab-ci-token:${jobToken}@${server.host}/app.git`);
  const job = {
    CI_COMMIT_SHA,
    CI_COMMIT_BRANCH: "main",
    POMMEL_TOKEN: token,
    CI_PROJECT_URL: `http://${server.host}/app`,
  };
  const secrets = (whole: string) =>
    [token, Buffer.from(`oauth2:${token}`).toString("base64")].filter((one) => whole.includes(one));
  try {
    const { stdout, stderr } = await onGitlab(job);
    expect(stdout).toMatch(
      /git push failed: .*\(fetch first\).*\nFetching the notes of others, and trying again/,
    );
    expect(git(remote, "notes", "--ref=ai", "show", CI_COMMIT_SHA)).toContain("octocat");
    expect(git(remote, "notes", "--ref=ai", "show", base)).toBe("of another job");
    expect(seen.processes).toContain("push --quiet http://");
    expect(secrets(stdout + stderr + started + seen.processes)).toEqual([]);
    expect(stdout + stderr).not.toContain(jobToken);
    for (const dir of [remote, checkout]) expect(readFileSync(configOf(dir), "utf8")).not.toContain(token);

    // A token that may not push: the forge says so, and to nobody what it was.
    const stale: unknown = await onGitlab({ ...job, CI_PROJECT_URL: `http://${server.host}/none` }).catch(
      (error: unknown) => error,
    );
    const { stdout: said, stderr: shown } = stale as { stdout: string; stderr: string };
    expect(shown).toMatch(/^error: git push failed: /);
    expect(secrets(said + shown)).toEqual([]);
  } finally {
    forge.state.token = "t";
    git(checkout, "remote", "set-url", "origin", remote);
    await server.close();
  }
});

const configOf = (dir: string) => join(git(dir, "rev-parse", "--absolute-git-dir"), "config");
