/** A day has so many milliseconds, but for those on which clocks change. */
export const dayMs = 86_400_000;
