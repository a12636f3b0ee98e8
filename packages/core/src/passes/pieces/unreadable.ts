/** Why the pieces pass cannot read a node; the pass adds which one. */
export class Unreadable extends Error {}
