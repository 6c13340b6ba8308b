import { readArguments } from "../../src/mcp/server/call-tool.ts";
import { searchCodeInput } from "../../src/mcp/shapes/shapes-search.ts";
import { omitEmpty } from "../../src/mcp/text/budget.ts";
import { searchCode } from "../../src/mcp/tools/search-code.ts";
import type { Project } from "../../src/project/paths.ts";
import { tokensOf } from "../../src/text/text-size.ts";
import type { Found, Search } from "./with-search.ts";

/** The tool `search_code` of `pm mcp`, as an agent calls it: with a question, and how long the answer may be. */
export function searchTool(project: Project, maxTokens?: number): Search {
  const context = {
    project,
    cwd: project.root,
    across: null,
    ownSession: null,
    signal: new AbortController().signal,
  };
  const known = new Map<string, Promise<Found>>();
  const ask = async (question: string, cursor: string | null): Promise<Found> => {
    const args = readArguments("search_code", searchCodeInput, {
      query: question,
      cursor,
      max_tokens: maxTokens,
    });
    const { text, structured } = await searchCode(args, context);
    return {
      text,
      tokens: tokensOf(JSON.stringify(omitEmpty(structured))),
      results: structured.results,
      cursor: structured.next_cursor,
    };
  };
  return (question, cursor) => {
    const key = JSON.stringify([question, cursor]);
    const answer = known.get(key) ?? ask(question, cursor);
    known.set(key, answer);
    return answer;
  };
}
