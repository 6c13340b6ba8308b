import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transcript } from "../../../test/support/transcript-fixture.ts";

/**
 * Three tasks on a small repository that is made for them: one that only a past session answers, one about where code
 * is, one that changes code. They show the format and prove the counting; they are too few and too small to show
 * what Pommel is worth.
 */

const reports = ["sales", "stock", "returns", "visits", "suppliers", "shipping", "reviews", "refunds"];

const files: Readonly<Record<string, string>> = {
  "README.md":
    "# Shop\n\nImports products, sells them, and prints reports. Run a test with `node test/<name>.test.mjs`.\n",
  "src/import/importer.mjs":
    "const attempts = 3;\n\nexport async function importProducts(fetchPage) {\n  for (let attempt = 1; ; attempt++) {\n    try {\n      return await fetchPage();\n    } catch (error) {\n      if (attempt === attempts) throw error;\n    }\n  }\n}\n",
  "src/billing/rounding.mjs":
    "/** Cents, half up. */\nexport const toCents = (amount) => Math.round(amount * 100) / 100;\n",
  "src/billing/cash.mjs":
    "/** What can be paid with coins: the nearest five cents. */\nexport const payable = (amount) => Math.round(amount * 20) / 20;\n",
  "src/cart/discount.mjs":
    "/** What is left to pay of one part of a cart. */\nexport function partialTotal(part, voucher) {\n  return part.total - (voucher * part.total) / part.cartTotal;\n}\n",
  "src/cart/cart.mjs":
    'import { partialTotal } from "./discount.mjs";\n\n/** @param parts that are paid one by one */\nexport function amountsOf(parts, voucher) {\n  const cartTotal = parts.reduce((sum, total) => sum + total, 0);\n  return parts.map((total) => partialTotal({ total, cartTotal }, voucher) - voucher / parts.length);\n}\n',
  "test/cart.test.mjs":
    'import assert from "node:assert";\nimport { amountsOf } from "../src/cart/cart.mjs";\n\nassert.deepStrictEqual(amountsOf([60, 40], 10), [54, 36]);\n',
  ...Object.fromEntries(
    reports.map((name) => [
      `src/reports/${name}.mjs`,
      `/** The ${name} of a month, rounded for print. */\nexport function ${name}Report(rows) {\n  return rows.map(({ month, total }) => \`\${month}: \${Math.round(total)}\`).join("\\n");\n}\n`,
    ]),
  ),
};

const tasks = [
  {
    id: "reason",
    prompt:
      "Why does the product importer give up after three attempts? Answer in one sentence, with numbers if there are any.",
    check: { contains: "90" },
    sessions: ["sessions"],
  },
  {
    id: "place",
    prompt:
      "Which file has the function that turns an amount into one that can be paid with coins? Answer with its path.",
    check: { contains: "src/billing/cash.mjs" },
  },
  {
    id: "repair",
    prompt:
      "When a cart is paid in parts, a voucher is subtracted twice. Repair it, so that `node test/cart.test.mjs` passes.",
    check: { command: "node test/cart.test.mjs" },
  },
];

/** Writes the repository, its past session and the tasks file. @returns the tasks file */
export function writeExample(dir: string): string {
  const repository = join(dir, "shop");
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  commitAll(repository, "Begin the shop");
  const session = transcript({ cwd: "/home/dev/shop" });
  session.prompt("The import of products fails whenever the supplier's server is slow. Let it try again.");
  session.reply(
    "Decision: the importer makes three attempts and no more, because the supplier's server bans a client for 90 " +
      "minutes after the fourth attempt.",
  );
  mkdirSync(join(dir, "sessions"));
  session.writeTo(join(dir, "sessions"));
  const file = join(dir, "tasks.json");
  writeFileSync(
    file,
    JSON.stringify({ tasks: tasks.map((task) => ({ repository: "shop", ...task })) }, null, 2),
  );
  return file;
}

/** Commits everything in a directory, which becomes a repository. */
export function commitAll(repository: string, message: string): void {
  const git = (...args: string[]) => execFileSync("git", ["-C", repository, ...args], { stdio: "pipe" });
  const author = ["-c", "user.name=Example", "-c", "user.email=example@example.invalid"];
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all", "--force");
  git(...author, "commit", "--quiet", "--message", message);
}
