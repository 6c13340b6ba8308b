/** Of `meta`: the version of the rules that all of the memory is scrubbed by. */
export const scrubbedBy = "scrubbed_by";
