/** How long what a command took away stays in the trash. */
export const daysInTrash = 14;
