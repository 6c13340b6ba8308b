import { expect, it } from "vitest";
import { cutToWidth, measureWidth, padToWidth, wrapToWidth } from "./display-width.ts";

it("counts columns, not characters", () => {
  expect(
    ["abc", "é", "e\u0301", "修正", "한국", "🚀", "👩‍👩‍👧", "🇩🇰", "\u001b[31mred\u001b[39m"].map(
      measureWidth,
    ),
  ).toEqual([3, 1, 1, 4, 4, 2, 2, 2, 3]);
});

it("fills up to the column", () => {
  expect(padToWidth("修正", 6)).toBe("修正  ");
  expect(padToWidth("修正", 3)).toBe("修正");
});

it("cuts between characters, and never beyond the column", () => {
  expect(cutToWidth("abcdef", 6)).toBe("abcdef");
  expect(cutToWidth("abcdefg", 6)).toBe("abcde…");
  expect(cutToWidth("修正登录", 8)).toBe("修正登录");
  expect(cutToWidth("修正登录", 7)).toBe("修正登…");
  expect(cutToWidth("修正登录", 6)).toBe("修正…");
  expect(cutToWidth("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…");
});

it("breaks lines between words", () => {
  expect(wrapToWidth("修正 登录 页面", 9)).toEqual(["修正 登录", "页面"]);
  expect(wrapToWidth("a verylongword b", 6)).toEqual(["a", "verylongword", "b"]);
});
