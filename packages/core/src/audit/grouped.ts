/** A count with its thousands apart. */
export const grouped = (count: number): string => count.toLocaleString("en-US");
