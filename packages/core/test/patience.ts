/** How long a test may take, in milliseconds; a hunt, which may share the machine with anything, has all day. */
export const patience = (milliseconds: number): number =>
  process.env["LEMMATA_HUNT"] ? 24 * 3_600_000 : milliseconds;
