/** How many days the trash keeps what a command removed. */
export const daysInTrash = 14;
