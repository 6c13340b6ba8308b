import * as z from "zod/mini";
import type { Picture } from "../agent.ts";
import { makeLenientParser, parseEach, parseTime } from "../reading/json.ts";
import { readLines } from "../reading/read-lines.ts";
import { asLine } from "./line-schema.ts";

const asPicture = makeLenientParser(
  z.object({
    type: z.literal("image"),
    source: z.object({
      type: z.literal("base64"),
      media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
      data: z.string().check(z.regex(/^[\w+/=-]+$/)),
    }),
  }),
);

const asResult = makeLenientParser(z.object({ tool_use_id: z.string(), content: z.array(z.unknown()) }));

/** The pictures in a transcript: of prompts, and of what tools answered. */
export async function* readPictures(file: string, signal?: AbortSignal): AsyncGenerator<Picture> {
  for await (const { lines } of readLines(file, null, { signal }))
    for (const { bytes } of lines) {
      if (!bytes.includes('"base64"')) continue;
      const line = asLine(parseJson(bytes));
      const at = parseTime(line?.timestamp);
      const content = line?.message?.content;
      const toPicture = (call: string | null) => (block: unknown) => {
        const source = asPicture(block)?.source;
        return source === undefined
          ? null
          : { at, call, url: `data:${source.media_type};base64,${source.data}` };
      };
      yield* parseEach(toPicture(null), content);
      for (const { tool_use_id, content: given } of parseEach(asResult, content))
        yield* parseEach(toPicture(tool_use_id), given);
    }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null;
  }
}
