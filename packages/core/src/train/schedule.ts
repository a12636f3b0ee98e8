// Schedules: the learning rate of each step.
import { TrainError } from "./error.ts";

/** The factor on the learning rate at step k of `total` (counted from 0). */
export type Schedule = (step: number, total: number) => number;

export const schedules = {
  constant: () => 1,
  /** Straight down to 0. */
  linear: (step, total) => 1 - step / total,
  /** Half a cosine, from 1 to 0. */
  cosine: (step, total) => (1 + Math.cos((Math.PI * step) / total)) / 2,
  /** 1/sqrt(k+1): what convex problems want. */
  "inverse-sqrt": (step) => 1 / Math.sqrt(step + 1),
  /** 1/(k+1): what strongly convex problems want. */
  inverse: (step) => 1 / (step + 1),
  /** A tenth after half of the steps, a hundredth after three quarters. */
  staircase: (step, total) => (step < total / 2 ? 1 : step < 0.75 * total ? 0.1 : 0.01),
} as const satisfies Readonly<Record<string, Schedule>>;

export type ScheduleName = keyof typeof schedules;

export interface RateOptions {
  readonly rate: number;
  readonly schedule?: ScheduleName | Schedule;
  /** Steps in which the rate first grows from 0, in equal parts. */
  readonly warmup?: number;
}

/**
 * The learning rates of steps `from` to `to` of `total`.
 * @example rates({ rate: 0.1, schedule: "cosine" }, 0, 2, 2) // [0.1, 0.05]
 */
export function rates(options: RateOptions, from: number, to: number, total: number): readonly number[] {
  const { rate, schedule = "constant", warmup = 0 } = options;
  if (typeof schedule !== "function" && !Object.hasOwn(schedules, schedule))
    throw new TrainError(
      `there is no schedule "${schedule}"; there are ${Object.keys(schedules).join(", ")}`,
    );
  if (!(rate > 0 && Number.isFinite(rate)))
    throw new TrainError(`a learning rate must be positive, not ${rate}`);
  const factor = typeof schedule === "function" ? schedule : schedules[schedule];
  return Array.from({ length: to - from }, (_, k) => {
    const step = from + k;
    return rate * factor(step, total) * Math.min(1, (step + 1) / (warmup + 1));
  });
}
