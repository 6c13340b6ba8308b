#!/usr/bin/env node
/**
 * Comments on a pull or merge request: who wrote it, in which sessions, for which prompts, from what the team shares (the branch
 * of `pm share git`, or git notes). The comment is made once and then updated. After a squash or rebase merge, the notes are carried
 * over to the new commits. docs/pull-requests.md has the set-up for GitHub and GitLab.
 *
 * Needs a checkout with the whole history, and the job's own token. It runs the Pommel that it is part of, no other `pm`. Nothing of
 * the request is run or checked out: its commits are read as data, and `pm review` writes what they hold as text that can format,
 * mention and link nothing. The token stands in no address, argument or message, and no program but git gets it.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** By this the comment is found again. */
const marker = "<!-- pommel review -->";
const file = "pommel-review.md";
const { env } = process;

/** What may pass a token on to nobody. */
const { GITHUB_TOKEN, POMMEL_TOKEN, ...rest } = env;
const home = env.POMMEL_HOME || mkdtempSync(join(tmpdir(), "pommel-"));
const ownPm = fileURLToPath(new URL("../bin/pm.cjs", import.meta.url));

/** A text without tokens, or addresses with a password. */
const clean = (text) =>
  [GITHUB_TOKEN, POMMEL_TOKEN]
    .filter(Boolean)
    .reduce((shown, token) => shown.replaceAll(token, "***"), text)
    .replace(/(\w+:\/\/)[^/@\s]+@/g, "$1");

/** Runs a program. @throws Error with what the program said last, and nothing of its arguments or environment */
function run(program, args, more = {}) {
  try {
    return execFileSync(program, args, {
      ...{ encoding: "utf8", maxBuffer: 1e8, stdio: ["ignore", "pipe", "pipe"] },
      env: { ...rest, POMMEL_HOME: home, GIT_TERMINAL_PROMPT: "0", ...more },
    });
  } catch (error) {
    const said = clean(String(error.stderr ?? ""))
      .trim()
      .split("\n")
      // git advises people at length, behind what went wrong.
      .filter((line) => !line.startsWith("hint: "))
      .slice(-3)
      .join(" ");
    throw new Error(
      `${program === "git" ? `git ${args[0]}` : "pm"} failed: ${said || error.code || error.status}`,
    );
  }
}
const git = (args, more) => run("git", args, more);
const pm = (...args) => run(process.execPath, [ownPm, ...args]);

/** More than one job may write notes at a time. */
const maxPushes = 5;

try {
  const request = github() ?? (await gitlab());
  if (request === null) console.log("No pull or merge request: nothing to review.");
  else await review(request);
} catch (error) {
  console.error(`error: ${clean(String(error?.message ?? error))}`);
  process.exitCode = 1;
}

async function review(request) {
  const { base, head, mergedAs, refs } = request;
  if (![base, head, mergedAs ?? base].every((hash) => /^[0-9a-f]{40,64}$/.test(hash)))
    throw new Error("The forge named no commits.");
  // That Pommel is built here: what fails later may have other causes.
  pm("--version");
  const fetchNotes = (...more) =>
    git(["fetch", "--quiet", "--no-tags", "origin", "+refs/notes/*:refs/notes/*", ...more]);
  fetchNotes(...refs);
  try {
    pm("pull");
  } catch {
    console.log("There is no shared memory to read: only git notes say who wrote what.");
  }
  if (!mergedAs) {
    const text = pm("review", `${base}..${head}`, "--format", "markdown");
    writeFileSync(file, text);
    console.log(text);
    if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, text);
    await comment(request.comments, `${marker}\n${text}`);
    return;
  }
  for (let left = maxPushes; ; left--) {
    console.log(pm("review", `${base}..${head}`, "--merged-as", mergedAs));
    if (git(["for-each-ref", "refs/notes/ai"]) === "") return;
    try {
      git(["push", "--quiet", request.remote, "refs/notes/ai"], request.access);
      return;
    } catch (error) {
      if (left <= 1) throw error;
      console.log(`${error.message}\nFetching the notes of others, and trying again.`);
      fetchNotes();
    }
  }
}

/** Makes the comment, or updates it where there is one of ours: another person's may hold the marker, too. */
async function comment(comments, body) {
  if (comments === null) return console.log(`No token to comment with: the review is in ${file}.`);
  try {
    const known = await comments.find((text) => text.startsWith(marker));
    await (known === undefined ? comments.create(body) : comments.update(known, body));
  } catch (error) {
    // A token for requests from forks may only read, and a busy forge answers later: neither fails the request.
    if (![401, 403, 429].includes(error.status)) throw error;
    const why = error.isLimited ? "The forge's rate limit is used up" : "The token may not comment";
    console.log(`${why} (${error.message}): the review is in ${file}.`);
  }
}

function github() {
  if (!env.GITHUB_EVENT_PATH) return null;
  const { pull_request: pull } = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, "utf8"));
  if (!pull || (pull.state === "closed" && !pull.merged)) return null;
  const ask = asking(env.GITHUB_API_URL, {
    accept: "application/vnd.github+json",
    authorization: `Bearer ${GITHUB_TOKEN}`,
    "x-github-api-version": "2022-11-28",
  });
  const repository = `/repos/${env.GITHUB_REPOSITORY}`;
  const list = `${repository}/issues/${pull.number}/comments`;
  return {
    base: pull.base.sha,
    head: pull.head.sha,
    mergedAs: pull.merged ? pull.merge_commit_sha : null,
    refs: [`+refs/pull/${pull.number}/head:refs/pommel/request`],
    // `actions/checkout` has left git its own way to sign in.
    remote: "origin",
    access: {},
    comments: GITHUB_TOKEN
      ? {
          async find(isOurs) {
            // An installation's token, which a job has, belongs to no user.
            const me = await ask("GET", "/user").catch((error) => {
              if (error.status !== 403 || error.isLimited) throw error;
              return { login: "github-actions[bot]" };
            });
            return firstOf(ask, list, ({ user, body }) => user?.login === me.login && isOurs(body ?? ""));
          },
          create: (body) => ask("POST", list, { body }),
          update: (id, body) => ask("PATCH", `${repository}/issues/comments/${id}`, { body }),
        }
      : null,
  };
}

async function gitlab() {
  if (!env.CI_API_V4_URL) return null;
  const token = POMMEL_TOKEN;
  const ask = asking(env.CI_API_V4_URL, { "private-token": token });
  const project = `/projects/${env.CI_MERGE_REQUEST_PROJECT_ID ?? env.CI_PROJECT_ID}`;
  const iid = env.CI_MERGE_REQUEST_IID;
  if (iid) {
    const list = `${project}/merge_requests/${iid}/notes`;
    return {
      base: env.CI_MERGE_REQUEST_DIFF_BASE_SHA,
      head: env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA,
      mergedAs: null,
      refs: [],
      comments: token
        ? {
            async find(isOurs) {
              const me = await ask("GET", "/user");
              return firstOf(ask, list, ({ author, body }) => author?.id === me.id && isOurs(body ?? ""));
            },
            create: (body) => ask("POST", list, { body }),
            update: (id, body) => ask("PUT", `${list}/${id}`, { body }),
          }
        : null,
    };
  }
  // A push to the default branch: what a merge made, if a merge made it.
  if (!token || env.CI_COMMIT_BRANCH !== env.CI_DEFAULT_BRANCH) return null;
  const merged = await ask("GET", `${project}/repository/commits/${env.CI_COMMIT_SHA}/merge_requests`);
  const request = merged.find(({ state }) => state === "merged");
  if (request === undefined) return null;
  const { diff_refs: ends } = await ask("GET", `${project}/merge_requests/${request.iid}`);
  const remote = `${env.CI_PROJECT_URL}.git`;
  return {
    base: ends.base_sha,
    head: ends.head_sha,
    mergedAs: env.CI_COMMIT_SHA,
    refs: [`+refs/merge-requests/${request.iid}/head:refs/pommel/request`],
    remote,
    access: headerFor(remote, `Basic ${Buffer.from(`oauth2:${token}`).toString("base64")}`),
  };
}

/** An environment in which git signs in at one address: the header is no argument, and goes nowhere else. */
function headerFor(address, authorization) {
  const at = Number(env.GIT_CONFIG_COUNT ?? 0);
  return {
    GIT_CONFIG_COUNT: String(at + 1),
    [`GIT_CONFIG_KEY_${at}`]: `http.${address}.extraHeader`,
    [`GIT_CONFIG_VALUE_${at}`]: `Authorization: ${authorization}`,
  };
}

/** The id of the first entry of a list, page by page; undefined: none. */
async function firstOf(ask, list, isWanted) {
  for (let page = 1; ; page++) {
    const entries = await ask("GET", `${list}?per_page=100&page=${page}`);
    const found = entries.find(isWanted);
    if (found !== undefined || entries.length < 100) return found?.id;
  }
}

function asking(api, headers) {
  return async (method, path, body) => {
    const answer = await fetch(`${api}${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (answer.ok) return answer.json();
    const { status, headers: given } = answer;
    const isLimited =
      status === 429 || given.get("x-ratelimit-remaining") === "0" || given.get("retry-after") !== null;
    const said = (await answer.json().catch(() => null))?.message;
    const why = typeof said === "string" ? ` ${said.slice(0, 200)}` : "";
    throw Object.assign(new Error(`${method} ${path}: ${status}${why}`), { status, isLimited });
  };
}
