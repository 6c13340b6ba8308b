import { cue, type Script } from "../mock-api.ts";

/** The scripts for GitHub Copilot CLI. Each session is about another bird, so that a search finds no other session. */

export const note = "whoever asks more than three times is banned by the server";

export const prompts = {
  edit: `The heron importer gives up after one timeout; let it retry. ${cue("edit")}\nNote to Pommel: ${note}`,
  write: `Give the pelican exporter a label. ${cue("write")}`,
  resume: `And what about the kestrel cache? ${cue("resume")}`,
  again: `Does the heron importer give up after that timeout, or retry? ${cue("again")}`,
  delegate: `Raise the albatross limit. ${cue("delegate")}`,
  ask: `What did we say about the importer of the ibis? ${cue("ask")}`,
} as const;

const call = (name: string, input: Record<string, unknown>) => [{ type: "tool_use" as const, name, input }];
const say = (text: string) => [{ type: "text" as const, text }];
const shell = (command: string) => call("bash", { command, description: "Run" });

export function scripts(repo: string): Record<keyof typeof prompts | "raise", Script> {
  const path = `${repo}/src/heron.ts`;
  const edit = (old_str: string, new_str: string) => call("edit", { path, old_str, new_str });
  return {
    edit: [
      call("view", { path }),
      edit("attempts = 1", "attempts = 3"),
      // The key of the client's environment gets into the session this way.
      shell('echo "ANTHROPIC_API_KEY=$COPILOT_TEST_KEY"'),
      shell("git commit -qam 'Retry the import' && git log --oneline"),
      shell("ls nowhere"),
      edit("not there", "x"),
      say("The heron importer now tries three times."),
    ],
    write: [
      call("create", { path: `${repo}/src/pelican.ts`, file_text: 'export const label = "pelican";\n' }),
      say("The pelican exporter has a label."),
    ],
    resume: [say("The kestrel cache stays as it is.")],
    again: [say("It retries.")],
    delegate: [
      call("task", {
        description: "Raise the limit",
        prompt: `Raise the albatross limit to nine. ${cue("raise")}`,
        agent_type: "general-purpose",
        name: "raiser",
        mode: "sync",
      }),
      say("It was raised where it was found."),
    ],
    raise: [edit("limit = 7", "limit = 9"), say("The albatross limit is nine.")],
    ask: [
      call("pommel-code", { query: "how many attempts the heron importer has" }),
      call("pommel-recall", { about: "heron importer timeout retry" }),
      shell('pm search transcripts "heron importer" --json; echo "in $COPILOT_AGENT_SESSION_ID"'),
      say("Nothing was said about the ibis."),
    ],
  };
}
