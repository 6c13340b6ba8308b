/**
 * A made-up project for pictures of the page: a small HTTP client with three sessions of a made-up person, their commits and
 * notes. Nothing in it comes from anybody's transcripts.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const hour = 3_600_000;

const retryFirst = `/** Sends a request again when the network fails. */
export async function retrying<T>(send: () => Promise<T>, times = 3): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= times) throw error;
    }
  }
}
`;
const retryLater = `import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds before the second attempt; doubled before each later one. */
const firstWaitMs = 200;

/** Sends a request again when the network fails, with exponential backoff. */
export async function retrying<T>(send: () => Promise<T>, times = 5): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= times) throw error;
      // The payment provider bans clients that come back at the same moment.
      const jitter = 0.5 + Math.random();
      await sleep(firstWaitMs * 2 ** (attempt - 1) * jitter);
    }
  }
}
`;
const client = `import { retrying } from "./retry.ts";

export interface Payment {
  id: string;
  cents: number;
}

/** Asks the provider for a payment. */
export function payment(id: string): Promise<Payment> {
  return retrying(async () => {
    const answer = await fetch(\`https://payments.example/v1/payments/\${id}\`);
    if (!answer.ok) throw new Error(\`The provider answered \${answer.status}.\`);
    return (await answer.json()) as Payment;
  });
}
`;
const test = `import { expect, test } from "vitest";
import { retrying } from "./retry.ts";

test("gives up after five attempts", async () => {
  let attempts = 0;
  const failing = () => Promise.reject(new Error(\`attempt \${++attempts}\`));
  await expect(retrying(failing)).rejects.toThrow("attempt 5");
});
`;

/** Sessions in order; a turn writes whole files, and may be followed by a commit. */
const sessions = [
  {
    id: "4b1d9c52-7a3e-4f06-9d18-2c5e8a7b6f01",
    hoursAgo: 52,
    branch: "main",
    title: "Payments client with retries",
    turns: [
      {
        prompt: "Write a small client for the payments API. It should retry when the network fails.",
        answer: "I wrote `payment()` and a helper `retrying()` that sends a request up to three times.",
        files: { "src/http/retry.ts": retryFirst, "src/http/payments.ts": client },
        commit: "Add a payments client that retries",
      },
    ],
  },
  {
    id: "9e07f3aa-51c8-4c2b-8f4d-6d1b3e9c7a02",
    hoursAgo: 27,
    branch: "fix/backoff",
    title: "Back off between retries",
    turns: [
      {
        prompt:
          "The provider banned us for an hour last night: all workers retried at the same moment. What are our options?",
        answer:
          "Three: wait a fixed time, wait exponentially longer, or exponentially with jitter. Only jitter keeps the workers apart. We should use exponential backoff with jitter instead of a fixed wait, because the workers start together.",
        files: {},
      },
      {
        prompt:
          "Let's go with exponential backoff with jitter instead of a fixed wait, at most five attempts.",
        answer: "Done: the first wait is 200 ms, doubled each time, with a jitter of 50 %.",
        files: { "src/http/retry.ts": retryLater },
        commit: "Back off exponentially, with jitter",
      },
    ],
  },
  {
    id: "c2f5d8b1-0e94-4a7d-b36a-8f7e1d2c5b03",
    hoursAgo: 3,
    branch: "fix/backoff",
    title: "Test the retries",
    turns: [
      {
        prompt: "Add a test that it gives up after five attempts. Why did we choose jitter again?",
        answer:
          "The test is there. Jitter was chosen two days ago, because workers that retried together got us banned.",
        files: { "src/http/retry.test.ts": test },
        commit: "Test that retries end",
      },
    ],
  },
];

/** One with a subject that comes back, by which it can be listed. */
const webhooks = {
  id: "e18c6f20-93b4-4d5a-a7c1-5b0f9e3d8a04",
  hoursAgo: 1,
  branch: "fix/webhooks",
  title: "Webhook signatures",
  turns: [
    {
      prompt: "Our webhook signatures fail in staging, but not in production. Why?",
      answer:
        "Staging sits behind a proxy that formats the body again, and webhook signatures are made of its bytes.",
      files: {},
    },
    {
      prompt: "Then compare the webhook signatures with the raw body, before anything parses it.",
      answer: "The webhook signatures are compared with the raw body now.",
      files: {},
    },
  ],
};

const notes = ["The provider's sandbox allows ten requests a second; production allows two hundred."];

/**
 * Makes the project below a home, with the sessions where Claude Code would keep them.
 * @param pm runs `pm` in a directory
 * @returns its root, the id of the session that is worth a picture, and what adds one more session
 */
export function makeDemoProject(home, pm) {
  const root = join(home, "harbor");
  const put = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (at, ...args) => {
    const date = new Date(at).toISOString();
    execFileSync("git", ["-c", "user.name=Robin Falk", "-c", "user.email=robin@example.com", ...args], {
      cwd: root,
      env: { ...process.env, HOME: home, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      stdio: ["ignore", "ignore", "inherit"],
    });
  };
  const began = Date.now() - 60 * hour;
  put("README.md", "# Harbor\n\nPays and gets paid.\n");
  put("src/index.ts", 'export { payment } from "./http/payments.ts";\n');
  git(began, "init", "--quiet", "--initial-branch=main");
  git(began, "config", "user.email", "robin@example.com");
  git(began, "add", ".");
  git(began, "commit", "--quiet", "-m", "Begin");
  for (const session of sessions) {
    if (session.branch !== "main") {
      const known = execFileSync("git", ["branch", "--list", session.branch], {
        cwd: root,
        encoding: "utf8",
      });
      git(began, "checkout", "--quiet", ...(known === "" ? ["-b"] : []), session.branch);
    }
    writeSession(home, root, session, put, git);
  }
  pm(root, "init", "--no-hooks", "--no-start");
  pm(root, "start");
  pm(root, "import", "claude", "--yes");
  pm(root, "checkpoint", "backfill", "--all");
  for (const note of notes) pm(root, "note", note);
  const addSession = () => {
    writeSession(home, root, webhooks, put, git);
    pm(root, "import", "claude", "--yes");
  };
  return { root, session: sessions[1].id, addSession };
}

function writeSession(home, root, { id, hoursAgo, branch, title, turns }, put, git) {
  const lines = [{ type: "summary", summary: title, leafUuid: `${id}-end` }];
  let parent = null;
  let at = Date.now() - hoursAgo * hour;
  const add = (type, message, more = {}) => {
    at += 20_000;
    const uuid = `${id}-${lines.length}`;
    const about = { sessionId: id, cwd: root, gitBranch: branch, version: "2.1.0", userType: "external" };
    const timestamp = new Date(at).toISOString();
    lines.push({ ...about, type, uuid, parentUuid: parent, isSidechain: false, timestamp, message, ...more });
    parent = uuid;
  };
  for (const { prompt, answer, files, commit } of turns) {
    add("user", { role: "user", content: prompt });
    for (const [path, content] of Object.entries(files)) {
      const call = `toolu_${id.slice(0, 4)}${lines.length}`;
      const file = join(root, path);
      add(
        "assistant",
        assistant(lines.length, {
          type: "tool_use",
          id: call,
          name: "Write",
          input: { file_path: file, content },
        }),
      );
      const originalFile = readIfAny(file);
      put(path, content);
      add(
        "user",
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: call, content: `File written: ${file}` }],
        },
        {
          toolUseResult: {
            type: originalFile === null ? "create" : "update",
            filePath: file,
            content,
            originalFile,
            structuredPatch: [],
          },
        },
      );
    }
    add("assistant", assistant(lines.length, { type: "text", text: answer }));
    at += 120_000;
    if (commit !== undefined) {
      git(at, "add", ".");
      git(at, "commit", "--quiet", "-m", commit);
    }
  }
  lines[0].leafUuid = parent;
  const folder = join(home, ".claude/projects", root.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${id}.jsonl`);
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  // As old as it says: the daemon waits for more of a new one before it sums it up.
  utimesSync(file, new Date(at), new Date(at));
}

const assistant = (number, content) => ({
  ...{ id: `msg_${number}`, role: "assistant", model: "claude-demo-1", content: [content] },
  usage: { input_tokens: 1200, output_tokens: 240 },
});

function readIfAny(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
