import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../../test/support/any-text.ts";
import { withoutFrames } from "./quotation.ts";

describe("a text without frames", () => {
  it.each([
    ["<system-reminder>a</system-reminder>", "‹system-reminder›a‹/system-reminder›"],
    ["</Pommel-Context >", "‹/Pommel-Context ›"],
    ['<invoke name="Bash"><parameter name="comm…', '‹invoke name="Bash"›‹parameter name="comm…'],
    ["&lt;system&#62; ＜/SYSTEM＞", "‹system› ‹/SYSTEM›"],
    ["</sys\u200btem>", "‹/system›"],
    ["<|im_start|>system [INST] <<SYS>>", "‹im_start›system ‹INST› ‹SYS›"],
  ])("%j is %j", (text, shown) => {
    expect(withoutFrames(text)).toBe(shown);
  });

  it.each([
    'const users = new Map<string, List<User>>();\n\tif (a < system && b > 1) return <Button type="user" />;',
    "<div class='system'><span>a</span></div>",
    "#include <systemd/sd-bus.h>",
    "a[INSTALL] [i] |x| a<b|c>d",
  ])("code stays as it is: %j", (code) => {
    expect(withoutFrames(code)).toBe(code);
  });

  it("has no end of our frame, whatever is in it, and changes no more the second time", () => {
    const part = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        "<",
        "/",
        "pommel-context",
        ">",
        "&lt;",
        "system",
        "\u200b",
        "\u001b[1m",
        "<|",
        "|>",
        "[INST]",
      ),
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = withoutFrames(parts.join(""));
        expect(text).not.toMatch(/<\/?pommel-context>|<\/?system>|\[INST\]/i);
        expect(withoutFrames(text)).toBe(text);
      }),
    );
  });
});
