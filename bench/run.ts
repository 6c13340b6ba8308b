/**
 * Speed and memory against the budgets, on real repositories.
 *
 *   npm run bench [-- --checkouts DIR] [--only NAME] [--json]
 *
 * The repositories of repositories.json are fetched at their pinned revisions into DIR (default: a cache directory).
 * Everything is measured on the built `pm` and `pommeld`, as processes.
 */
import { cpus, totalmem } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { temporaryHome } from "../test/support/temporary-home.ts";
import { commitCost } from "./commit.ts";
import { percentile } from "./measure.ts";
import { checkOut, checkoutCache, type Repository, repositories } from "./repositories.ts";
import { coldIndex, httpSearch, processRatio, saveToSearchable } from "./speed.ts";

// What is measured without a daemon must not start one.
process.env.POMMEL_DAEMON_AUTOSTART = "false";

const { values: options } = parseArgs({
  options: {
    checkouts: { type: "string" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const checkouts = resolve(options.checkouts ?? checkoutCache);

async function measure(repository: Repository) {
  const root = checkOut(checkouts, repository);
  console.error(`${repository.name}: cold index …`);
  const cold = await coldIndex(root);
  console.error(`${repository.name}: searches …`);
  const search = await httpSearch(root, repository.queries);
  console.error(`${repository.name}: saves, then idle until the workers have gone …`);
  const save = await saveToSearchable(root);
  const processes = processRatio(root, repository.queries);
  return { name: repository.name, language: repository.language, cold, search, save, processes };
}

const list = repositories.filter(({ name }) => !options.only || name === options.only);
// Neither the settings nor the daemon of who runs this take part.
const home = temporaryHome();
const results = [];
for (const repository of list) results.push(await measure(repository));
console.error("commits …");
const commits = await commitCost();
home.remove();

if (options.json) {
  console.log(JSON.stringify({ repositories: results, commits }, null, 2));
} else {
  const p = (values: readonly number[], which: number) => percentile(values, which).toFixed(1);
  console.log(
    `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB\n`,
  );
  console.log("| repository | files | chunks | cold index s (CPU s) | files/s | chunks/s | peak RSS MB |");
  console.log("|---|---|---|---|---|---|---|");
  for (const { name, language, cold: c } of results) {
    console.log(
      `| ${name} (${language}) | ${c.files} | ${c.chunks} | ${c.seconds.toFixed(2)} (${c.cpuSeconds.toFixed(2)}) | ${Math.round(c.files / c.seconds)} | ${Math.round(c.chunks / c.seconds)} | ${c.peakRssMb.toFixed(0)} |`,
    );
  }
  console.log(
    "\n| repository | engine ms p50 / p95 | HTTP ms p50 / p95 | save to searchable ms p50 / p95 | daemon RSS MB idle |",
  );
  console.log("|---|---|---|---|---|");
  for (const { name, search, save } of results) {
    console.log(
      `| ${name} | ${p(search.engine, 50)} / ${p(search.engine, 95)} | ${p(search.http, 50)} / ${p(search.http, 95)} | ${p(save.milliseconds, 50)} / ${p(save.milliseconds, 95)} | ${save.daemonRssMb.toFixed(0)} |`,
    );
  }
  console.log(
    "\n| repository | `node -e 0` ms | `pm search`, daemon | ratio | `pm search`, no daemon | ratio | `pm hook stop` | ratio | `rg` ms |",
  );
  console.log("|---|---|---|---|---|---|---|---|---|");
  for (const { name, processes: t } of results) {
    const rg = t.ripgrep === null ? "not installed" : t.ripgrep.toFixed(0);
    console.log(
      `| ${name} | ${t.node.toFixed(0)} | ${t.daemon.toFixed(0)} | ${t.daemonRatio.toFixed(2)} | ${t.alone.toFixed(0)} | ${t.aloneRatio.toFixed(2)} | ${t.hook.toFixed(0)} | ${t.hookRatio.toFixed(2)} | ${rg} |`,
    );
  }
  console.log(
    "\n| `git commit` ms | with Pommel's hooks | added | `node -e 0` ms | `pm hook git-post-commit` | ratio |",
  );
  console.log("|---|---|---|---|---|---|");
  console.log(
    `| ${commits.without.toFixed(1)} | ${commits.with.toFixed(1)} | ${commits.added.toFixed(1)} | ${commits.node.toFixed(0)} | ${commits.hook.toFixed(0)} | ${commits.ratio.toFixed(2)} |`,
  );
}
