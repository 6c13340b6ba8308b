import { cue, type Script } from "../mock-api.ts";

/** The scripts for OpenCode. Each session is about another bird, so that a search finds no other session. */

export const note = "whoever asks more than three times is banned by the server";
/** Only the agent says this, and after it Pommel's own answers. */
const decided =
  "We decided to stay with three attempts in src/heron.ts instead of five, because the server bans whoever asks more often.";

export const prompts = {
  edit: `The heron importer gives up after one timeout; let it retry. ${cue("edit")}\nNote to Pommel: ${note}`,
  write: `Give the pelican exporter a label. ${cue("write")}`,
  resume: `And what about the kestrel cache? ${cue("resume")}`,
  fork: `Would a gannet queue be better? ${cue("fork")}`,
  again: `Does the heron importer give up after that timeout, or retry? ${cue("again")}`,
  delegate: `Find out where the albatross limit is set. ${cue("delegate")}`,
  ask: `What did we say about the importer of the ibis? ${cue("ask")}`,
  break: `Break the bittern buffer. ${cue("break")}`,
  instead: `Leave the bittern buffer as it is. ${cue("instead")}`,
} as const;

const call = (name: string, input: Record<string, unknown>) => ({ type: "tool_use" as const, name, input });
const say = (text: string) => [{ type: "text" as const, text }];

export function scripts(repo: string): Record<keyof typeof prompts | "look", Script> {
  const filePath = `${repo}/src/heron.ts`;
  const edit = (oldString: string, newString: string) => [call("edit", { filePath, oldString, newString })];
  return {
    edit: [
      [
        { type: "thinking", thinking: "I have to see the importer first." },
        { type: "text", text: "Reading the importer." },
        call("read", { filePath }),
      ],
      edit("attempts = 1", "attempts = 3"),
      // The key of the client's environment gets into the session this way.
      [call("bash", { command: "env | grep -a ANTHROPIC", description: "Look" })],
      [
        call("bash", {
          command: "git commit -qam 'Retry the import' && git log --oneline",
          description: "Commit",
        }),
      ],
      [call("bash", { command: "ls nowhere", description: "Fail" })],
      edit("not there", "x"),
      say(decided),
    ],
    write: [
      [call("write", { filePath: `${repo}/src/pelican.ts`, content: 'export const label = "pelican";\n' })],
      edit("limit = 7", "limit = 9"),
      say("The pelican exporter has a label."),
    ],
    resume: [say("The kestrel cache stays as it is.")],
    fork: [say("A gannet queue would be more than it takes.")],
    again: [say("It retries.")],
    delegate: [
      [
        call("task", {
          description: "Find the limit",
          prompt: `Look for the albatross limit. ${cue("look")}`,
          subagent_type: "general",
        }),
      ],
      say("It was found where it was looked for."),
    ],
    look: [
      [call("bash", { command: "grep -rn limit src", description: "Look" })],
      say("The albatross limit is a constant called farthest."),
    ],
    ask: [
      [call("pommel_code", { query: "how many attempts the heron importer has" })],
      [call("pommel_recall", { about: "heron importer timeout retry" })],
      [
        call("bash", {
          command: 'pm search transcripts "heron importer" --json; echo "in $OPENCODE_SESSION_ID"',
          description: "Ask",
        }),
      ],
      say("Nothing was said about the ibis."),
    ],
    break: [say("The bittern buffer is broken.")],
    instead: [say("The bittern buffer stays.")],
  };
}
