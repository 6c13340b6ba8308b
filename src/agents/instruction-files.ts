/** Files of a repository in which people tell agents how to work there. */
export const instructionFiles = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"];

/** Files of a repository that only agents read: who has one has used agents. */
export const agentFiles = [...instructionFiles, "QWEN.md", ".cursorrules", ".windsurfrules", ".clinerules"];
/** The directories of agents in a repository. */
export const agentDirectories = [".claude", ".cursor", ".codex", ".gemini"];
