import { call, type GeminiScript, say } from "./gemini-api.ts";
import { cue } from "./mock-api.ts";

/** The scripts for Gemini CLI. Each session is about another bird, so that a search finds no other session. */

export const note = "whoever asks more than three times is banned by the server";
const others = ["in TOML", "in one file", "sorted", "in English", "short"].map(
  (how) => `we keep the cormorant settings ${how}`,
);
/**
 * A person's words, so long that there is no room left for them at the start of a session, beside the notes; they are
 * injected when their file is edited.
 */
export const decided =
  "We decided to stay with three attempts in src/heron.ts instead of five, because the server bans for an hour whoever " +
  "asks more often than that, and the people who run it answer no letters, while a longer pause between two attempts was " +
  "tried in spring and did not help with the timeouts.";
/** What stays of a conversation when it is compressed. */
export const snapshot = "<state_snapshot>Of the puffin kind: an exporter got a label.</state_snapshot>";

const noted = (text: string) => `\nNote to Pommel: ${text}`;

export const prompts = {
  edit: `The heron importer gives up after one timeout; let it retry. ${decided} ${cue("edit")}${noted(note)}`,
  note: `Look at the cormorant settings. ${cue("note")}${others.map(noted).join("")}`,
  write: `Give the pelican exporter a label. ${cue("write")}`,
  resume: `And what about the kestrel cache? ${cue("resume")}`,
  again: `Does the heron importer give up after that timeout, or retry? ${cue("again")}`,
  ask: `What did we say about the importer of the ibis? ${cue("ask")}`,
} as const;

const replace = (old_string: string, new_string: string) =>
  call("replace", { file_path: "src/heron.ts", old_string, new_string, instruction: "Change it." });

export const scripts: Record<keyof typeof prompts, GeminiScript> = {
  edit: [
    replace("attempts = 1", "attempts = 3"),
    // The key of the client's environment gets into the chat this way, if the client lets it.
    call("run_shell_command", { command: 'echo "GEMINI_API_KEY=$GEMINI_API_KEY"', description: "Look" }),
    call("run_shell_command", { command: "git commit -qam 'Retry the import' && git log --oneline" }),
    say("It is tried three times now."),
  ],
  note: [say("The cormorant settings are short.")],
  write: [
    call("write_file", { file_path: "src/pelican.ts", content: 'export const label = "pelican";\n' }),
    replace("limit = 7", "limit = 9"),
    say("The pelican exporter has a label."),
  ],
  resume: [say("The kestrel cache stays as it is.")],
  again: [say("It retries.")],
  ask: [
    call("mcp_pommel_code", { query: "how many attempts the heron importer has" }),
    call("mcp_pommel_recall", { about: "heron importer timeout retry" }),
    call("run_shell_command", { command: 'pm search transcripts "heron importer" --json' }),
    say("Nothing was said about the ibis."),
  ],
};
