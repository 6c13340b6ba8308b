import type { AgentProfile } from "../agent.ts";

/** No agent of its own: files that any tool can write, imported on request. */
export const atifProfile = {
  name: "atif",
  title: "ATIF",
  environment: [],
} satisfies AgentProfile;
