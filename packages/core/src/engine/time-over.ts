/** The time of a computation was over before there was a result; whoever set the time knows what to do without. */
export class TimeOver extends Error {
  override readonly name = "TimeOver";

  constructor() {
    super("the time was over");
  }
}
