import * as z from "zod/mini";
import { pictureMark } from "./bounds.ts";
import { anything, flag, makeLenientParser, type Parsed, parseEach, text } from "./json.ts";

/** A block of a message's content, as Anthropic's Messages API has it; several clients store messages in its form. */
const asBlock = makeLenientParser(
  z.object({
    type: text,
    text,
    thinking: text,
    id: text,
    name: text,
    input: anything,
    tool_use_id: text,
    content: anything,
    is_error: flag,
  }),
);
export type ContentBlock = Parsed<typeof asBlock>;

/** The blocks of a message's content; a string is one text block. Skips invalid blocks. */
export function asBlocks(content: unknown): ContentBlock[] {
  return parseEach(asBlock, typeof content === "string" ? [{ type: "text", text: content }] : content);
}

/** The text of a message's or a result's content, with marks where pictures are. */
export function joinBlockTexts(content: unknown): string {
  const parts = asBlocks(content).map(({ type, text }) =>
    type === "image" ? pictureMark : type === "text" ? (text ?? "") : "",
  );
  return parts.filter((part) => part !== "").join("\n");
}
