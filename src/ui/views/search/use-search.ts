import { useEffect, useState } from "preact/hooks";
import { AskError, ask } from "../../api/ask.ts";
import { type Found, foundIn } from "./hits.ts";
import type { Question } from "./question.ts";

interface SearchState {
  /** The question that `found` or `error` answers. */
  words: string;
  found: Found | null;
  error: AskError | null;
}

/** Keys that follow one another faster are one question. Milliseconds. */
const pauseMs = 40;

const limit = 20;

/** The answer to a question that changes with every key: an earlier one is aborted, and shown until the next is there. */
export function useSearch(question: Question): SearchState {
  const [state, setState] = useState<SearchState>({ words: "", found: null, error: null });
  const key = JSON.stringify(question);
  useEffect(() => {
    const { words } = question;
    if (words === "") {
      setState({ words, found: null, error: null });
      return;
    }
    const controller = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const found = await search(question, controller.signal);
        if (!controller.signal.aborted) setState({ words, found, error: null });
      } catch (thrown) {
        if (controller.signal.aborted) return;
        const error =
          thrown instanceof AskError ? thrown : new AskError("internal", String(thrown), "Reload the page.");
        setState({ words, found: null, error });
      }
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key]);
  return state;
}

const kindsOf = {
  code: ["code"],
  sessions: ["sessions", "notes"],
  history: ["commits", "events"],
} as const;

async function search({ words: q, sides, code, others }: Question, signal: AbortSignal): Promise<Found> {
  if (sides.length === 0) {
    const notes = ["These filters exclude each other: they are about different kinds of results."];
    return foundIn({ verdict: "probably_not_here", code: null, transcripts: null, history: null, notes });
  }
  const only = sides.flatMap((side) => kindsOf[side]);
  return foundIn(await ask("searchAll", { q, limit, only, ...code, ...others }, signal));
}
