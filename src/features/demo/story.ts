/** A made-up small HTTP client, with three sessions of a made-up person. Nothing in it comes from anybody's transcripts. */

/** What an agent did: it wrote a whole file, or ran a command. */
export type Deed =
  | { path: string; content: string }
  | { command: string; purpose: string; output: string; hasFailed?: boolean };

interface StoryTurn {
  prompt: string;
  deeds: readonly Deed[];
  answer: string;
  /** The subject of the commit that follows it. */
  commit?: string;
}

export interface StorySession {
  id: string;
  /** Before the day on which the story is told. */
  hoursAgo: number;
  branch: string;
  turns: readonly StoryTurn[];
}

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
const testFirst = `import { expect, test } from "vitest";
import { retrying } from "./retry.ts";

test("gives up after five attempts", async () => {
  let attempts = 0;
  const failing = () => Promise.reject(new Error(\`attempt \${++attempts}\`));
  await expect(retrying(failing)).rejects.toThrow("attempt 5");
});
`;
const testLater = `import { rejects } from "node:assert/strict";
import { test } from "node:test";
import { retrying } from "./retry.ts";

test("gives up after five attempts", async () => {
  let attempts = 0;
  const failing = () => Promise.reject(new Error(\`attempt \${++attempts}\`));
  await rejects(retrying(failing), /attempt 5/);
});
`;

/** What is there before the first session. */
export const initialFiles: Readonly<Record<string, string>> = {
  "README.md": "# Harbor\n\nPays and gets paid.\n",
  "src/index.ts": 'export { payment } from "./http/payments.ts";\n',
};

/** Some hours after its last session: told as of this moment, its commits have the same names everywhere. */
export const storyDay = Date.parse("2026-03-05T16:00:00Z");

/** In their order. */
export const story: readonly StorySession[] = [
  {
    id: "4b1d9c52-7a3e-4f06-9d18-2c5e8a7b6f01",
    hoursAgo: 52,
    branch: "main",
    turns: [
      {
        prompt: "Write a small client for the payments API. It should retry when the network fails.",
        deeds: [
          { path: "src/http/retry.ts", content: retryFirst },
          { path: "src/http/payments.ts", content: client },
        ],
        answer: "I wrote `payment()` and a helper `retrying()` that sends a request up to three times.",
        commit: "Add a payments client that retries",
      },
    ],
  },
  {
    id: "9e07f3aa-51c8-4c2b-8f4d-6d1b3e9c7a02",
    hoursAgo: 27,
    branch: "fix/backoff",
    turns: [
      {
        prompt:
          "The provider banned us for an hour last night: all workers retried at the same moment. What are our options?",
        deeds: [],
        answer:
          "Three: wait a fixed time, wait exponentially longer, or exponentially with jitter. Only jitter keeps the workers apart. We should use exponential backoff with jitter instead of a fixed wait, because the workers start together.",
      },
      {
        prompt:
          "Let's go with exponential backoff with jitter instead of a fixed wait, at most five attempts.",
        deeds: [{ path: "src/http/retry.ts", content: retryLater }],
        answer: "Done: the first wait is 200 ms, doubled each time, with a jitter of 50 %.",
        commit: "Back off exponentially, with jitter",
      },
    ],
  },
  {
    id: "c2f5d8b1-0e94-4a7d-b36a-8f7e1d2c5b03",
    hoursAgo: 3,
    branch: "fix/backoff",
    turns: [
      {
        prompt: "Add a test that it gives up after five attempts. Why did we choose jitter again?",
        deeds: [
          { path: "src/http/retry.test.ts", content: testFirst },
          {
            command: "node --test src/http/retry.test.ts",
            purpose: "Run the test of the retries",
            output:
              "Exit code 1\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'vitest' imported from src/http/retry.test.ts",
            hasFailed: true,
          },
          { path: "src/http/retry.test.ts", content: testLater },
          {
            command: "node --test src/http/retry.test.ts",
            purpose: "Run the test of the retries",
            output: "✔ gives up after five attempts (3093.4 ms)\n# tests 1\n# pass 1\n# fail 0",
          },
        ],
        answer:
          "The test is there. Jitter was chosen yesterday, because workers that retried together got us banned.",
        commit: "Test that retries end",
      },
    ],
  },
];
