import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePromptNotes } from "../../protocol/reading/prompt-notes.ts";
import { parseObject, pickPayload } from "./stdio.ts";

const secret = "x".repeat(12);

describe("a hook's stored payload", () => {
  it("has ids, paths and the event, and nothing of the conversation", () => {
    const kept = {
      session_id: "s",
      transcript_path: "/t.jsonl",
      cwd: "/p",
      hook_event_name: "PostToolUse",
      prompt_id: "p",
      tool_name: "Edit",
      tool_use_id: "toolu_1",
    };
    const given = {
      ...kept,
      tool_input: { file_path: "/p/a.ts", old_string: secret, new_string: secret },
      tool_response: { originalFile: secret },
      last_assistant_message: secret,
      custom_instructions: secret,
      env: { TOKEN: secret },
    };
    expect(pickPayload(given)).toEqual(kept);
  });

  it("has only a prompt's notes, in the form read later", () => {
    const prompt = [
      `Use ${secret}.`,
      "Note to Pommel: we chose Redis",
      `my ${secret}`,
      "",
      "- **NOTE to  pommel:** in a list",
      "```",
      `Note to Pommel: ${secret}`,
      "```",
      "a footnote to pommel: none",
      "Note to Pommel:",
    ].join("\r\n");
    const payload = pickPayload({ prompt });
    expect(payload.prompt).not.toContain(secret);
    expect(parsePromptNotes(payload.prompt!)).toEqual(["we chose Redis", "in a list"]);
    expect(parsePromptNotes(payload.prompt!)).toEqual(parsePromptNotes(prompt));
    expect(pickPayload({ prompt: "no note" })).toEqual({});
  });

  it("omits fields of the wrong type or over the length limit", () => {
    const given = { session_id: 7, cwd: null, source: ["x"], trigger: {}, prompt: 1, tool_input: "x" };
    expect(pickPayload(given)).toEqual({});
    expect(pickPayload({ session_id: "x".repeat(10_000) })).toEqual({});
    const { prompt } = pickPayload({ prompt: `note to pommel: ${"x".repeat(1_000_000)}` });
    expect(prompt!.length).toBeLessThanOrEqual(65_536);
  });

  it("has the same notes as the prompt, whatever that is", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "Note to Pommel:",
        "note  to\tpommel :",
        "NOTE TO POMMEL：",
        "**",
        "\n",
        "\r",
        " ",
        "foot",
      ),
      fc.string({ maxLength: 8 }),
      fc.string({ unit: "grapheme", maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const prompt = pieces.join("");
        expect(parsePromptNotes(pickPayload({ prompt }).prompt ?? "")).toEqual(parsePromptNotes(prompt));
      }),
    );
  });
});

it("is null for anything but JSON objects", () => {
  expect(parseObject('{"a": 1}')).toEqual({ a: 1 });
  for (const text of ["", "null", "[]", '"x"', "1", '{"a": 1', "{}{}"]) expect(parseObject(text)).toBeNull();
});
