import type { ListToolsResult } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { levels } from "../../../base/levels.ts";
import { blameRequest } from "../../../features/blame/operation.ts";
import { codeRequest } from "../../../features/code/operation.ts";
import { annotateRequest } from "../../../features/notes/operation.ts";
import { recallRequest } from "../../../features/recall/operation.ts";
import { described, field, outside, place } from "../../../protocol/shape-parts.ts";
import { allProjects, type Handler, limit, maxTokens, project } from "../tool.ts";

/** The tools as a client sees them, and where their code is. */

export interface Tool {
  title: string;
  /** What it answers, and the moments to call it: a model that is told no moment does not call. */
  description: string;
  input: z.ZodMiniObject;
  /** Whether it leaves everything as it is. */
  isReading: boolean;
  /** Loads its code: only a tool that is called costs anything. */
  load: () => Promise<Handler<z.ZodMiniObject>>;
}

/** Ties a tool's code to its input. */
function defineTool<I extends z.ZodMiniObject>(
  given: Pick<Tool, "title" | "description"> & {
    isReading?: boolean;
    input: I;
    load: () => Promise<Handler<I>>;
  },
): Tool {
  const { title, description, input, isReading = true } = given;
  // What it is called with has been parsed by its own `input`.
  return { title, description, input, isReading, load: given.load as unknown as Tool["load"] };
}

const ofCode = codeRequest().shape;
const ofRecall = recallRequest().shape;

// Models read these with every request, so they are shorter here than on the command line.
const codeInput = z.strictObject({
  query: described('what it does, a name, an error; "quotes": exact', ofCode.query),
  place: described("FILE:LINES: exactly these lines; FILE: its outline", ofCode.place),
  calls: field("every place that calls or uses it", z.boolean()),
  path: described("only these paths or globs", ofCode.path),
  language: described('"go", "typescript"', ofCode.language),
  level: field("only these", z.array(z.enum(levels))),
  package: described("only this", ofCode.package),
  regex: field("query is RE2", z.boolean()),
  all_projects: allProjects,
  limit: limit(50),
  max_tokens: maxTokens(900),
});

const recallInput = z.strictObject({
  about: described("the topic, what to run, or the error as printed", ofRecall.about),
  id: described("SESSION or SESSION:TURN of an answer: read it", ofRecall.id),
  said_by: described("user: only the user's own words", ofRecall.said_by),
  kind: described("only these", ofRecall.kind),
  files: described("only about these paths or globs", ofRecall.file),
  since: described('"2026-01-31", "last week"', ofRecall.since),
  until: described("only until", ofRecall.until),
  branch: described("only this", ofRecall.branch),
  agent: described("only this", ofRecall.agent),
  project,
  all_projects: allProjects,
  limit: limit(50),
  max_tokens: field("300; a turn: 1000", z.int().check(z.minimum(200), z.maximum(20_000))),
});

const whyInput = z.strictObject({
  place: described("FILE:LINES, or FILE for all its authors", place),
  revision: described("as of this commit", blameRequest().shape.rev),
  max_tokens: maxTokens(600),
});

const noteInput = z.strictObject({
  text: annotateRequest().shape.note,
  replaces: field("the id of the note that it replaces", outside("uid")),
  session_id: field("the session it is about; default: yours", outside("session")),
});

export const tools = {
  code: defineTool({
    title: "Find and read code",
    description:
      "Find and READ code. Call it instead of grep and Read when you do not know the place, and before you change a function (calls). Shows numbered current lines: edit from them. Whole functions, call sites, tests.",
    input: codeInput,
    load: async () => (await import("../tools/code.ts")).answerCode,
  }),
  recall: defineTool({
    title: "Recall the project's past",
    description:
      "What this project's past says: asked, tried, decided, fixed, run before? Call it when the user refers to earlier work (again, still, already, as we, last time, continue), before you choose an approach, when you do not know how something is run, and when a command fails. No arguments: where work stopped.",
    input: recallInput,
    load: async () => (await import("../tools/recall.ts")).recallPast,
  }),
  why: defineTool({
    title: "Why lines exist",
    description:
      "Why lines exist: who wrote them, for which request, what was decided, whether it still holds. Call it before you change or remove code that looks odd.",
    input: whyInput,
    load: async () => (await import("../tools/why.ts")).answerWhy,
  }),
  note: defineTool({
    title: "Remember a note",
    description:
      "Remember something for later sessions. Call it when the user says to, or settles a question for good.",
    input: noteInput,
    isReading: false,
    load: async () => (await import("../tools/note.ts")).note,
  }),
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

type ListedTool = ListToolsResult["tools"][number];

/** The tools as the protocol describes them. */
export function listTools(): ListToolsResult {
  return { tools: Object.entries(tools).map(([name, tool]: [string, Tool]) => describe(name, tool)) };
}

function describe(name: string, { title, description, input, isReading }: Tool): ListedTool {
  return {
    name,
    description,
    inputSchema: buildInputSchema(input),
    annotations: {
      title,
      readOnlyHint: isReading,
      ...(!isReading && { destructiveHint: false }),
      openWorldHint: false,
    },
    // Claude Code defers every other tool: it shows a model no more than the name until the model searches for it.
    _meta: { "anthropic/alwaysLoad": true },
  };
}

/** Says no more than a model needs for a call: what breaks a bound is clamped. */
function buildInputSchema(input: z.ZodMiniObject): ListedTool["inputSchema"] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: "input",
    override({ jsonSchema }) {
      for (const bound of [
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "default",
      ] as const) {
        delete jsonSchema[bound];
      }
      delete jsonSchema.format;
    },
  });
  return {
    type: "object",
    properties: properties as ListedTool["inputSchema"]["properties"],
    ...(required.length > 0 && { required }),
  };
}
