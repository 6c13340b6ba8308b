import { cleanLabel, isValidAs } from "../../protocol/outside.ts";
import data from "./signatures.json" with { type: "json" };

/** The mentions of agents in a commit's own text. */
export interface CommitMessageFacts {
  /** Checkpoints of Entire: twelve hexadecimal digits each. */
  entireCheckpoints: string[];
  /** Sessions that Entire names itself (on its own branches, and in its older versions). */
  entireSessions: string[];
  coAuthors: { name: string; tool: string }[];
}

/** A squash may carry the trailers of very many commits. */
const maxTrailers = 200;

/**
 * Reads the trailers of a commit. The whole message is searched, as a squash leaves the trailers of its commits in the
 * middle.
 * @param commit the commit object: headers, an empty line, the message
 */
export function readMessage(commit: string): CommitMessageFacts {
  const end = commit.indexOf("\n\n");
  const headers = end < 0 ? commit : commit.slice(0, end);
  const message = end < 0 ? "" : commit.slice(end + 2);
  const claims: CommitMessageFacts = { entireCheckpoints: [], entireSessions: [], coAuthors: [] };
  const coAuthors = new Map<string, { name: string; tool: string }>();
  const addPerson = (person: string) => {
    const agent = findSigningAgent(person);
    if (agent) coAuthors.set(`${agent.tool} ${agent.name}`, agent);
  };
  // Aider writes itself into the author's or the committer's name (its --attribute-author).
  for (const [, person = ""] of headers.matchAll(/^(?:author|committer) (.*)$/gm)) addPerson(person);
  for (const [, key = "", value = ""] of message.matchAll(
    /^([A-Za-z][A-Za-z-]{3,40}):[ \t]*(\S.{0,500})$/gm,
  )) {
    const text = value.trim();
    if (coAuthors.size + claims.entireCheckpoints.length + claims.entireSessions.length >= maxTrailers) break;
    switch (key.toLowerCase()) {
      case "co-authored-by":
        addPerson(text);
        break;
      case "entire-checkpoint":
        if (/^[0-9a-f]{12}$/.test(text)) claims.entireCheckpoints.push(text);
        break;
      case "entire-session":
        if (isValidAs("uid", text)) claims.entireSessions.push(text);
        break;
    }
  }
  claims.coAuthors = [...coAuthors.values()];
  return claims;
}

/**
 * Agents by the address that they sign with: a name alone may be a person's, who can be called Claude. The addresses are
 * those of the tools' own defaults.
 */
const signatures = data.map(({ tool, email, name }) => ({
  tool,
  email: new RegExp(email),
  name: name === undefined ? null : new RegExp(name, "i"),
}));

/** The agent that signs as `Name <address>`; null for a person. */
function findSigningAgent(person: string): { name: string; tool: string } | null {
  const [, name = "", address = ""] = /^\s*(.{0,200}?)\s*<([^<>\s]{1,200})>/.exec(person) ?? [];
  const email = address.toLowerCase();
  const found = signatures.find((one) => one.email.test(email) && one.name?.test(name) !== false);
  return found ? { name: cleanLabel("person", name), tool: found.tool } : null;
}
