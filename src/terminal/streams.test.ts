import { expect, it } from "vitest";
import { canOpenLinks, neutralizeControls } from "./streams.ts";

it.each<[NodeJS.ProcessEnv, boolean]>([
  [{}, false],
  [{ TERM: "xterm-256color" }, false],
  [{ TERM: "xterm-kitty" }, true],
  [{ TERM: "alacritty" }, true],
  [{ TERM: "screen-256color", VTE_VERSION: "7002" }, true],
  [{ VTE_VERSION: "5000" }, false],
  [{ TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.4.19" }, true],
  [{ TERM_PROGRAM: "iTerm.app", TERM_PROGRAM_VERSION: "3.0.1" }, false],
  [{ TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.95.0" }, true],
  [{ TERM_PROGRAM: "vscode", TERM_PROGRAM_VERSION: "1.71.0" }, false],
  [{ TERM_PROGRAM: "Apple_Terminal" }, false],
  [{ TERM_PROGRAM: "WezTerm", CI: "1" }, false],
  [{ WT_SESSION: "1" }, true],
  [{ FORCE_HYPERLINK: "1" }, true],
  [{ FORCE_HYPERLINK: "0", TERM: "xterm-kitty" }, false],
])("knows whether a terminal opens links: %o", (env, opens) => {
  expect(canOpenLinks(env)).toBe(opens);
});

it("leaves a terminal alone but for colours and links", () => {
  const evil = "a\u001b]0;title\u0007b\u009b2Jc\u0000d\r\n\te";
  expect(neutralizeControls(evil, false)).toBe("a·]0;title·b·2Jc·d\n\te");
  expect(neutralizeControls(`\u001b[31m${evil}\u001b[0m`, true)).toBe(
    "\u001b[31ma·]0;title·b·2Jc·d\n\te\u001b[0m",
  );
  expect(neutralizeControls("if (\u202eadmin\u2066) \u{e0041}x", false)).toBe("if (·admin·) ·x");
  const link = "\u001b]8;;file:///a\u0007a\u001b]8;;\u0007";
  expect(neutralizeControls(link, true)).toBe(link);
});
