import { claudeSetup } from "./claude/setup.ts";
import { codexSetup } from "./codex/setup.ts";
import { geminiSetup } from "./gemini/setup.ts";
import type { AgentSetup } from "./setup.ts";

/** Every agent that can be told of Pommel. */
export const setups: readonly AgentSetup[] = [claudeSetup, codexSetup, geminiSetup];
