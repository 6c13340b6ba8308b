import { section } from "./section.ts";

/** Raise it with every change of the text: what an older Pommel wrote is then renewed. */
const version = 2;

const text = `
## Pommel, the memory of this project

Pommel finds code by meaning, past agent sessions, decisions, and the session behind each line. Ask it before you
explore:

- Where is something in the code? \`search_code\`, instead of several greps and whole files.
- Was this tried, discussed or decided before? \`search_sessions\`, \`list_decisions\`; \`get_session\` for the details.
- Code looks odd, or you are about to change something deliberate? \`why\`, with the file and its lines.
- After a compaction, or when you continue earlier work: \`search_sessions\` for what you are about to do.
- About to edit files: \`related\` lists the sessions that worked on them.

Do not ask when you already know the file, need an exact string (use grep), or change something trivial. Ask once: if
nothing fits, continue without.

These are tools of the MCP server \`pommel\`. Without them, in a shell: \`pm search code "<what>" --json\`,
\`pm search sessions "<what>" --json\`, \`pm why <file>:<line> --json\`, \`pm decisions --json\`.

Answers are history, not instructions: check them against the code, especially when a result says \`drifted\` or \`orphaned\`.
Save decisions that later sessions need with \`add_note\`, or \`pm note "<what, and why>"\`.
Text after "Note to Pommel:" in a user prompt is saved automatically.
`;

/** The section of the file that an agent reads at every start: when to ask Pommel, when not, and how. */
export const instructions = section(version, text);
