import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Repository, temporaryRepository } from "../../../test/support/checkpoint-fixture.ts";
import { type RolloutOptions, rollout, threadId } from "../../../test/support/rollout-fixture.ts";
import { codex } from "../../agents/codex/codex.ts";
import { buildKindRules } from "../../sessions/chunks/kinds.ts";
import { ingestTranscript } from "../../sessions/ingest/ingest.ts";
import { listAttributions } from "../../store/memory/commits/attributions.ts";
import { findCommitByHash } from "../../store/memory/commits/commits.ts";
import { recordCommit } from "../checkpoints/record-commit.ts";

let repo: Repository;
let home: string;
beforeEach(() => {
  repo = temporaryRepository();
  delete repo.work.attribute;
  home = mkdtempSync(join(tmpdir(), "pommel-codex-"));
});
afterEach(() => {
  repo.remove();
  rmSync(home, { recursive: true, force: true });
});

const session = threadId("session");

async function remember(builder: ReturnType<typeof rollout>): Promise<void> {
  await ingestTranscript(
    {
      ...repo.work,
      agent: codex,
      ledgerKey: Buffer.alloc(32, 7),
      embedder: null,
      chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: buildKindRules() },
      maxChunks: 0,
      root: repo.root,
      worktrees: [],
    },
    builder.writeTo(home),
  );
}

const before = ["export function total(cart) {", "  return 0;", "}", ""].join("\n");
const after = [
  "export function total(cart) {",
  "  return cart.items.reduce((sum, item) => sum + item.price * item.amount, 0);",
  "}",
  "",
].join("\n");
const discount = "export const discountOf = (customer) => (customer.isLoyal ? 0.1 : 0);\n";

function conversation(format: RolloutOptions["format"]) {
  const builder = rollout({
    session,
    format: format!,
    cwd: repo.root,
    start: new Date(repo.now()).toISOString(),
  });
  builder.turn();
  builder.prompt("Sum up the cart, and add a discount");
  builder.patch(
    [
      "*** Begin Patch",
      "*** Update File: src/cart.ts",
      "@@",
      ...before
        .trimEnd()
        .split("\n")
        .map((line, i) => `${i === 1 ? "-" : " "}${line}`)
        .slice(0, 2),
      `+${after.split("\n")[1]}`,
      " }",
      "*** Add File: src/discount.ts",
      `+${discount.trimEnd()}`,
      "*** End Patch",
    ].join("\n"),
    {
      [join(repo.root, "src/cart.ts")]: {
        type: "update",
        unified_diff: `@@ -1,3 +1,3 @@\n ${before.split("\n")[0]}\n-  return 0;\n+${after.split("\n")[1]}\n }\n`,
        move_path: null,
      },
      [join(repo.root, "src/discount.ts")]: { type: "add", content: discount },
    },
  );
  builder.bash("cat > src/tax.ts <<'EOF'\nexport const taxRateOfCountry = { dk: 0.25 };\nEOF", "");
  builder.tokens(100, 10);
  builder.reply("Done.");
  return builder;
}

it.each(["legacy", "paginated", "code"] as const)(
  "finds the lines that Codex wrote, in the format %s",
  async (format) => {
    repo.commit("Begin", { "src/cart.ts": before });
    repo.wait(1);
    await remember(conversation(format));
    repo.wait(5);
    const hash = repo.commit("Sum up the cart", {
      "src/cart.ts": after,
      "src/discount.ts": discount,
      "src/tax.ts": "export const taxRateOfCountry = { dk: 0.25 };\n",
    });
    await recordCommit(repo.work, hash, { seen: "hook", branch: "main" });
    const ranges = listAttributions(repo.memory, findCommitByHash(repo.memory, hash)!.id);
    expect(
      ranges.map(({ path, firstLine, author, sessionUid, turn }) => [
        path,
        firstLine,
        author,
        sessionUid,
        turn,
      ]),
    ).toEqual([
      ["src/cart.ts", 2, "agent", session, 1],
      ["src/discount.ts", 1, "agent", session, 1],
      ["src/tax.ts", 1, "agent", session, 1],
    ]);
    expect(new Set(ranges.map(({ model }) => model))).toEqual(new Set(["gpt-5.5"]));
  },
);

it("attributes a patch that did not apply to no agent", async () => {
  repo.commit("Begin", { "src/cart.ts": before });
  repo.wait(1);
  const builder = rollout({ session, cwd: repo.root, start: new Date(repo.now()).toISOString() });
  builder.turn();
  builder.prompt("Add a discount");
  builder.patch(
    `*** Begin Patch\n*** Add File: src/discount.ts\n+${discount.trimEnd()}\n*** End Patch\n`,
    null,
  );
  await remember(builder);
  repo.wait(5);
  const hash = repo.commit("Add a discount", { "src/discount.ts": discount });
  await recordCommit(repo.work, hash, { seen: "hook", branch: "main" });
  const ranges = listAttributions(repo.memory, findCommitByHash(repo.memory, hash)!.id);
  expect(ranges.map(({ author }) => author)).not.toContain("agent");
});
