// What the page and its workers say to each other.

export interface JobRequest {
  readonly id: number;
  readonly job: string;
  readonly input: unknown;
}

export type PageMessage =
  | ({ readonly kind: "start" } & JobRequest)
  | { readonly kind: "cancel"; readonly id: number }
  | { readonly kind: "tell"; readonly id: number; readonly message: unknown };

export type WorkerMessage =
  | { readonly kind: "progress"; readonly id: number; readonly fraction: number; readonly note?: string }
  /** Something to show before the end. */
  | { readonly kind: "partial"; readonly id: number; readonly value: unknown }
  | { readonly kind: "done"; readonly id: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly message: string };

/** What a job has besides its input. */
export interface JobContext {
  readonly signal: AbortSignal;
  readonly progress: (fraction: number, note?: string) => void;
  readonly partial: (value: unknown) => void;
  /** Hears what the page tells a running job. */
  readonly onTell: (listener: (message: unknown) => void) => void;
}

/** A job: plain data in, plain data out, in a worker. */
export type Job<Input, Output> = (input: Input, context: JobContext) => Promise<Output>;
