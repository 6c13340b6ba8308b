import { PommelError } from "../../../project/errors.ts";
import { readKey } from "../../http/openai-server.ts";
import { embedCaller } from "../../http/remote-caller.ts";
import type { EmbedderDriver } from "../embedder.ts";
import { createOpenaiEmbedder } from "./openai-embedder.ts";

export const openaiDriver: EmbedderDriver = {
  name: "openai",
  about: "any OpenAI-compatible API: the texts are sent to embed.openai_url",
  defaultModel: "text-embedding-3-large",
  environment: ({ openaiKeyVariable }) => [openaiKeyVariable],
  create: (model, { openaiUrl, openaiKeyVariable }) =>
    createOpenaiEmbedder(model, { url: openaiUrl, keyVariable: openaiKeyVariable }),
  // Only the key is looked for: even a question costs, and tells the server that we are here.
  async available(_model, { openaiUrl, openaiKeyVariable }) {
    try {
      const key = readKey({ url: openaiUrl, keyVariable: openaiKeyVariable }, embedCaller);
      const detail = key === null ? `without a key, at ${openaiUrl}` : `with the key in ${openaiKeyVariable}`;
      return { usable: true, detail: `${detail}; not asked`, hint: "" };
    } catch (error) {
      if (!(error instanceof PommelError)) throw error;
      return { usable: false, detail: error.message.replace(/\.$/, ""), hint: error.hint };
    }
  },
};
