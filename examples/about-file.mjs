// Prints who wrote a file, and what was decided about it in past sessions:
//
//   node examples/about-file.mjs src/db.ts
//
// Run it in a project that `pm init` has set up, where `pommel` is installed.
import { connect, PommelError } from "pommel/client";

const [file = "README.md"] = process.argv.slice(2);
try {
  const pommel = await connect();
  const [{ summary }, { decisions }] = await Promise.all([
    pommel.blame({ file }),
    pommel.decisions({ file: [file], limit: 3 }),
  ]);
  console.log(`${file}: ${summary.lines} lines, ${summary.agent} by agents, ${summary.human} by people`);
  for (const { session_title, agent, lines } of summary.by_session) {
    console.log(`  ${lines} lines  ${agent}: ${session_title ?? "(no title)"}`);
  }
  for (const { text, timestamp } of decisions) console.log(`  ${timestamp?.slice(0, 10)}  ${text}`);
} catch (error) {
  if (!(error instanceof PommelError)) throw error;
  console.error(`error: ${error.message}\nhint: ${error.hint}`);
  process.exitCode = 1;
}
