import { expect, it } from "vitest";
import { screenOf } from "../../../test/support/screen.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { RelatedAnswer } from "./operation.ts";
import { wordRelated } from "./words.ts";

it("says of each file around the asked ones how it is tied to them", () => {
  const code = [
    { file: "src/client.ts", used_by: ["get", "post"], uses: ["parse"] },
    { file: "src/\u001b[2Jtime.ts", used_by: [], uses: ["sleep"] },
  ];
  const found: RelatedAnswer = { looked_for: 2, files: [], sessions: [], total: 0, decisions: [], code };
  const lines = renderDocument(wordRelated(found, "", true), { screen: screenOf() }).split("\n");
  expect(lines).toContain("Code around them");
  expect(lines).toContain("src/client.ts  used by get, post; uses parse");
  expect(lines.join("\n")).not.toContain("\u001b");
  expect(lines.at(-1)).toMatch(/time\.ts {2}uses sleep$/);
});
