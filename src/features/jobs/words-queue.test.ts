import { describe, expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import type { Screen } from "../../terminal/output.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { type QueueReport, wordQueue } from "./words.ts";

const renderQueue = (report: QueueReport, screen: Screen) => renderDocument(wordQueue(report), { screen });

const idle = {
  pending: 0,
  waiting: [],
  running: [],
  dead: [],
  rate_chunks_per_sec: 0,
  eta_seconds: null,
  is_idle: true,
  recent: [],
  daemon_running: true,
};
const now = Date.parse("2026-01-28T14:00:00.000Z");

describe("the queue for a person", () => {
  it("says when there is nothing to do", () => {
    expect(renderQueue(idle, screenOf())).toBe("✓ The queue is empty.");
    expect(renderQueue({ ...idle, pending: 2 }, screenOf())).toBe("✓ 2 jobs for later, nothing to do now.");
  });

  it("says why a job does not move", () => {
    const history = { kind: "history", subject: "commits", done: 0, total: 1281 };
    const running = [{ ...history, waits_for: { kind: "transcript", jobs: 12 } }];
    expect(renderQueue({ ...idle, is_idle: false, pending: 12, running }, screenOf())).toContain(
      "history commits  0 of 1281, waits for 12 transcripts, which go first",
    );
  });

  it("shows running and pending jobs, and for how long they wait; in a pipe without a bar", () => {
    const shownAt = (columns: number | undefined) =>
      renderQueue(
        {
          ...idle,
          is_idle: false,
          pending: 12,
          running: [
            { kind: "transcript", subject: "/t/a.jsonl", done: 500_000, total: 1_000_000, waits_for: null },
          ],
          rate_chunks_per_sec: 45.4,
          eta_seconds: 93,
          daemon_running: false,
        },
        screenOf(columns),
      );
    const expected = (bar: string) =>
      [
        "12 jobs pending, 1 running, 45.4 chunks/s, about 1m 33s left",
        "No daemon is running: `pm daemon start` resumes the work.",
        `  ${bar}transcript /t/a.jsonl  500.0 kB of 1.0 MB`,
      ].join("\n");
    expect(shownAt(100)).toBe(expected("[██████████░░░░░░░░░░] "));
    expect(shownAt(undefined)).toBe(expected(""));
  });

  it("shows failed jobs with the reason, and the last finished one", () => {
    const shown = renderQueue(
      {
        ...idle,
        dead: [
          {
            id: 17,
            kind: "transcript",
            subject: "/t/\u001b[31mb.jsonl",
            attempts: 9,
            error: "ENOENT:\nit is gone",
          },
        ],
        recent: [
          {
            kind: "summary",
            subject: "s",
            outcome: "done",
            chunks: 1,
            took_ms: 40,
            at: "2026-01-28T13:59:00.000Z",
          },
        ],
      },
      screenOf(120, { now }),
    );
    expect(shown).toContain("✗ 17  transcript /t/");
    expect(shown).not.toContain("\u001b");
    expect(shown).toContain("ENOENT: it is gone (9 attempts)");
    expect(shown).toMatch(/✓ summary {2}s {2}1 chunk {2}40 ms {2}1 minute ago/);
  });
});
