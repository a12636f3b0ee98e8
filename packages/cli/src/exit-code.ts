// What a command's exit code says: 0 done, 1 a negative verdict, 2 bad input, 3 undecided; 130 interrupted.

/** The query holds somewhere, the networks differ, the certificate is not confirmed, a claim is violated. */
export const negative = 1;
/** Neither shown nor refuted: unknown, or the time was over. */
export const undecided = 3;
